"""What is wrong with a grammar that lark refuses, in an author's words: where, what was met, what may stand there."""

from __future__ import annotations

import re
from collections.abc import Collection

from ._source import Source

TELL = "Change the rules so that one token decides what begins, goes on or ends"
_WORDS = {
    "RULE": "a rule's name",
    "TERMINAL": "a terminal's name",
    "STRING": "a string",
    "REGEXP": "a regular expression",
    "NUMBER": "a number",
    "_COLON": "':'",
    "_DOT": "'.'",
    "_DOTDOT": "'..'",
    "_COMMA": "','",
    "_OR": "'|'",
    "OP": "one of '*', '+', '?'",
    "TILDE": "'~'",
    "_TO": "'->'",
    "_LPAR": "'('",
    "_RPAR": "')'",
    "_LBRA": "'['",
    "_RBRA": "']'",
    "_LBRACE": "'{'",
    "_RBRACE": "'}'",
    "_IMPORT": "%import",
    "_OVERRIDE": "%override",
    "_EXTEND": "%extend",
    "_NL": "the end of the line",
    "$END": "the end of the file",
}
"""The tokens of lark's own grammar, as authors write them; what is left out is outside the profile."""
_BEGUN = {
    '"': "the string that begins at column {} has no end on its line",
    "/": "the regular expression that begins at column {} has no end",
    "'": "column {} begins a string in single quotes; write double ones",
    "%": "the statement at column {} is unknown; there are %import, %override and %extend",
}
_SAID = (
    (r"Using an undefined rule: (\w+)", None, "there is no rule {0!r}, and every grammar has one"),
    (r"\w+ '(\w+)' used but not defined \(in \w+ (\w+)\)", 1, "{1!r} uses {0!r}, which is not defined"),
    (r"Terminal used but not defined: (\w+)", 0, "{0!r} is not defined"),
    (r"\w+ '(\w+)' defined more than once", 0, "{0!r} is defined twice"),
    (r"Cannot override a nonexisting \w+ (\w+)", 0, "there is no {0!r} to override; import it"),
    (r"Can't extend \w+ (\w+) as it", 0, "there is no {0!r} to extend; import it"),
    (r"Rules aren't allowed inside terminals \((\w+) in (\w+)\)", 1, "the terminal {1!r} holds the rule {0!r}"),
    (r"Recursion in terminal '(\w+)'", 0, "the terminal {0!r} holds itself"),
    (r"Bad Range for (\w+) \((\d+)\.\.(\d+)", None, "{0!r} can't stand {1} to {2} times"),
    (r"Rule (\w+) is marked for expansion", 0, "{0!r} begins with an underscore and so can't have an alias (->)"),
    (r"Cannot import '(\w+)' from '([^']+)'", 0, "{0!r} is imported from {1}, and defined already"),
    (r"Nothing was imported from grammar `(\w+)`", 0, "nothing is imported from {0!r}"),
    (r"there is no grammar file '((\w+)\.lark)'", 1, "there is no grammar file {0!r}"),
    (r'Error trying to process rule "range"', None, "a range stands between two single characters"),
)
"""What lark says, which of the names in it is at fault, and our words for it."""


def explained(source: Source, error: Exception, imported: Source | None = None) -> str:
    """Place and fault of what lark says of a grammar; ``imported`` is the file that was read last."""
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    for one in (error, error.__context__):
        if isinstance(one, (UnexpectedCharacters, UnexpectedToken)):
            found = source if imported is None else imported
            place = f"{found.name}:{_line(found, one)}"
            inside = "" if imported is None else f"{source.place(imported.name.removesuffix('.lark'))}: in "
            return f"{inside}{place}: {_unexpected(one)}."
    message = re.sub(r"^\[Errno \d+\] No such file or directory: ", "there is no grammar file ", str(error).strip())
    message = re.sub(r"\b(?:NonTerminal|Terminal|Token)\((?:'[A-Z_]+', )?'([^']*)'\)", r"\1", message)
    return _conflict(source, message) or _pattern(source, message) or _said(source, message)


def _line(source: Source, error: object) -> int:
    line = getattr(error, "line", None)
    return line if isinstance(line, int) and line > 0 else source.text.rstrip().count("\n") + 1


def _unexpected(error: object) -> str:
    token, column = getattr(error, "token", None), getattr(error, "column", 1)
    if token is None:
        char = getattr(error, "char", "")
        return _BEGUN.get(char, f"{char!r} cannot stand at column {{}}").format(column)
    names: Collection[str] = getattr(error, "accepts", None) or getattr(error, "expected", None) or ()
    offered = [words for name, words in _WORDS.items() if name in names]
    if "_COLON" in names:
        offered = ["':'"]
    elif "REGEXP" in names:
        offered = ["a name", "a string", "a regular expression", *offered[4:]]
    met = _WORDS.get(token.type) if not token.strip() else repr(str(token))
    may = " or ".join(filter(None, (", ".join(offered[:-1]), *offered[-1:])))
    return f"{met} cannot stand at column {column}" + (f"; what may stand there is {may}" if may else "")


def _conflict(source: Source, message: str) -> str | None:
    message = min(message.split("\n\n"))  # they come in no order
    met = re.search(r"(Shift/Reduce|Reduce/Reduce) \w+ (?:in|for terminal) (\S+?)\.? ", message)
    if met is None:
        return None
    rules = sorted(re.findall(r"<(\S+) : ?(.*?)>", message))
    shown = list(dict.fromkeys(_rule(name, expansion) for name, expansion in rules))
    places = [place for name, _ in rules if (place := source.place(_written(name))) != source.name]
    what = f"{shown[0]} may be over there, or go on" if len(shown) < 2 else f"{' and '.join(shown)} may be over there"
    at = "the end" if met[2] == "$END" else named(met[2])
    return f"{[*places, source.name][0]}: {met[1]} conflict at {at}: {what}. {TELL}."


def _written(name: str) -> str:
    """The rule that an author wrote, for one that lark made of its repetition."""
    return re.sub(r"^__(\w+)_(?:star|plus)_\d+$", r"\1", name)


def _rule(name: str, expansion: str) -> str:
    if _written(name) != name:
        return f"a repetition in {_written(name)!r}"
    expansion = re.sub(r"__\w+?_(?:star|plus)_\d+", "(…)*", expansion)
    return f"'{named(name)}: {expansion}'"


def _pattern(source: Source, message: str) -> str | None:
    """A pattern that is no regular expression, with its terminal."""
    if "regular expression" in message.lower() or "regexp" in message.lower():
        defined = r"^(?:%(?:override|extend)[ \t]+)?([A-Z_][A-Z0-9_]*)[ \t]*:[ \t]*/(.*)/[a-z]*[ \t]*$"
        for match in re.finditer(defined, source.text, re.M):
            try:
                re.compile(match[2])
            except re.error as error:
                return f"{source.place(match[1])}: terminal {match[1]}: it is no regular expression: {error}."
    return None


def _said(source: Source, message: str) -> str:
    for pattern, at_fault, words in _SAID:
        found = re.match(pattern, message)
        if found is not None:
            place = source.name if at_fault is None else source.place(found[at_fault + 1])
            return f"{place}: {words.format(*map(named, found.groups()))}."
    message = message.split("\n", 1)[0].rstrip(".")
    quoted = re.search(r"<(\w+) :|'(\w+)'", message)
    return f"{source.name if quoted is None else source.place(quoted[1] or quoted[2])}: {message}."


def named(name: str) -> str:
    """A rule or terminal as its own file spells it, with the file if it is another one."""
    if name.startswith("__ANON_"):
        return "a pattern without a name"
    found = re.match(r"(_?)(?:\w+__)?([A-Za-z]\w*?)__([A-Za-z]\w*)$", name)
    return f"{found[1]}{found[3]} of {found[2]}.lark" if found else name


def of_terminal(source: Source, name: str, pattern: str) -> str:
    """Place and name of a terminal, or of a pattern that stands in a rule."""
    if name.startswith("__"):
        before = source.text.partition(pattern)
        place = f"{source.name}:{before[0].count(chr(10)) + 1}" if before[1] else source.name
        return f"{place}: the pattern {pattern}"
    return f"{source.place(name)}: terminal {named(name)}"
