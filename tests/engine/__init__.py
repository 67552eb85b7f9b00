"""The grammar engine: against stock lark, in its parts, and under every sort of input."""
