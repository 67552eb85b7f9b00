"""Asking an engine whether it takes a constraint, where its library is installed."""

from __future__ import annotations

import re
from importlib import import_module
from types import ModuleType

from .._errors import ConstraintError

NEEDED = {"llguidance": "llguidance", "openai_custom_tool": "llguidance"}
"""The libraries that constraints are looked at by, where they are not looked at here."""

WHOLE = 100_000
"""Characters of a grammar; OpenAI refuses longer ones."""


def check(target: str, text: str) -> None:
    """Have the engine look at a constraint.

    Raises:
        ConstraintError: it does not take it.
    """
    if target in NEEDED:
        library = _library(NEEDED[target])
        if library is not None:
            broken, told = library.LLMatcher.validate_grammar_with_warnings(text)
            if broken:
                raise ConstraintError(
                    f"llguidance does not take this constraint: {told[0] if told else 'it is broken'}"
                )
    elif target in ("gbnf", "xgrammar"):
        _check_rules(text)
    elif target == "regex":
        try:
            re.compile(text)
        except re.error as error:
            raise ConstraintError(f"This constraint is no regular expression: {error}") from None


def _library(name: str) -> ModuleType | None:
    try:
        return import_module(name)
    except ImportError:
        return None


_RULE = re.compile(r"^([a-z][a-z0-9-]*) ::= (.*)$")
_TOKEN = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|\[(?:[^\]\\\n]|\\.)*\]|<[^<>\n]*>|(?P<name>[a-z][a-z0-9-]*)|[{][0-9]+(?:,[0-9]*)?[}]|[()|*+?]|\s+'
)


def _check_rules(text: str) -> None:
    """Every line a rule, every rule that is referred to there: what llama.cpp says only on the server's console."""
    rules: set[str] = set()
    referred: dict[str, str] = {}
    for line in text.splitlines():
        match = _RULE.match(line)
        if match is None:
            raise ConstraintError(f"This constraint has a line that is no rule: {line[:80]!r}")
        rules.add(match[1])
        at, body = 0, match[2]
        while at < len(body):
            token = _TOKEN.match(body, at)
            if token is None:
                raise ConstraintError(f"The rule {match[1]!r} can't be read from {body[at : at + 40]!r} on.")
            if token["name"]:
                referred.setdefault(token["name"], match[1])
            at = token.end()
    missing = sorted(referred.keys() - rules)
    if missing:
        raise ConstraintError(f"The rule {missing[0]!r}, which {referred[missing[0]]!r} refers to, is missing.")
    if "root" not in rules:
        raise ConstraintError("This constraint has no rule 'root'.")


__all__ = ["NEEDED", "WHOLE", "check"]
