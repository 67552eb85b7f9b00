"""Prompts: a text with ``{variables}``, or a list of chat messages with places where messages go in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Self, TypeAlias

from ._errors import PromptError, caret, nearest
from ._json import dumps, json_fault

Message: TypeAlias = dict[str, Any]
"""A chat message in OpenAI's form: ``{"role": …, "content": …}`` and what else a provider gives it."""
Prompted: TypeAlias = "str | list[Message]"
"""What is sent to a model: a text, or chat messages."""
MessageLike: TypeAlias = "str | tuple[str, str] | Mapping[str, Any]"

ROLES = {"human": "user", "ai": "assistant"} | {
    role: role for role in ("system", "developer", "user", "assistant", "tool", "function")
}
"""The roles of messages, and the names that LangChain gave two of them."""
PLACEHOLDERS = frozenset({"placeholder", "messages"})
_PART = re.compile(r"\{\{|\}\}|\{([^\W\d]\w*)\}|[{}]")
_ALONE = re.compile(r"\{([^\W\d]\w*)\}\Z")


class _Text:
    """A compiled text: ``literals[0]`` ``{names[0]}`` ``literals[1]`` …, always one literal more than names."""

    __slots__ = ("literals", "names")

    def __init__(self, template: str) -> None:
        self.literals, self.names = [""], list[str]()
        at = 0
        for found in _PART.finditer(template):
            self.literals[-1] += template[at : found.start()]
            at = found.end()
            if found[1] is not None:
                self.names.append(found[1])
                self.literals.append("")
            elif len(found[0]) == 2:
                self.literals[-1] += found[0][0]
            else:
                raise PromptError(
                    f"This brace belongs to no variable. Write {found[0] * 2} where the text needs a brace.\n"
                    + caret(template, *found.span())
                )
        self.literals[-1] += template[at:]

    def fill(self, values: Mapping[str, Any]) -> str:
        out = [self.literals[0]]
        for name, literal in zip(self.names, self.literals[1:], strict=True):
            out.append(as_text(values[name], name))
            out.append(literal)
        return "".join(out)


class _Turn:
    """A compiled message, or the place of a list of messages (``fields`` is then empty)."""

    __slots__ = ("fields", "place", "text")

    def __init__(self, fields: Message, text: _Text | None, place: str = "") -> None:
        self.fields, self.text, self.place = fields, text, place

    @property
    def names(self) -> list[str]:
        return [self.place] if self.text is None else self.text.names

    def fill(self, values: Mapping[str, Any]) -> list[Message]:
        if self.text is None:
            given = values.get(self.place)
            return [] if given is None else as_messages(given, f"{{{self.place}}}")
        return [{**self.fields, "content": self.text.fill(values)}]


class Prompt:
    """A template. ``{name}`` is a variable, ``{{`` and ``}}`` are braces; values are data and never looked into.

    A template is a text, or a list of chat messages, each ``(role, text)`` or ``{"role": …, "content": …}``. An entry
    that is nothing but a variable, ``"{chat_history}"`` or ``("placeholder", "{chat_history}")``, is a placeholder: a
    list of messages goes in there, and it may be left out.

    >>> Prompt("Question: {input}\\nThought:").format(input="Who is {me}?")
    'Question: Who is {me}?\\nThought:'
    >>> Prompt([("system", "Be brief."), "{chat_history}", ("user", "{input}")]).format(input="Hello")
    [{'role': 'system', 'content': 'Be brief.'}, {'role': 'user', 'content': 'Hello'}]

    Attributes:
        template: what it was made of.
        variables: the names that need values, in the order in which they first appear.
        placeholders: those of them that take messages, and may be left out.
        partials: the values given beforehand, by name.
        defaults: values of variables that may be left out, by name.
        prefix: what its end may already have written of the model's turn (``"Thought:"``); None: not known.

    Raises:
        PromptError: a brace that belongs to no variable, or a message of no known form.
    """

    __slots__ = (
        "_needed", "_open", "_turns", "_whole", "defaults", "partials", "placeholders", "prefix", "template",
        "variables",
    )  # fmt: skip

    template: str | tuple[MessageLike, ...]
    variables: tuple[str, ...]
    placeholders: tuple[str, ...]
    partials: Mapping[str, Any]
    defaults: Mapping[str, Any]
    prefix: str | None

    def __init__(
        self,
        template: str | Iterable[MessageLike],
        *,
        partials: Mapping[str, Any] | None = None,
        defaults: Mapping[str, Any] | None = None,
        prefix: str | None = None,
    ) -> None:
        self._whole: _Text | None = None
        self._turns: tuple[_Turn, ...] = ()
        if isinstance(template, str):
            self.template = template
            self._whole = _Text(template)
            names, places = self._whole.names, list[str]()
        elif isinstance(template, (bytes, Mapping)) or not isinstance(template, Iterable):
            raise PromptError(f"A prompt is a text or a list of messages, not {type(template).__name__}.")
        else:
            self.template = tuple(template)
            self._turns = tuple(_turn(entry) for entry in self.template)
            names = [name for turn in self._turns for name in turn.names]
            places = [turn.place for turn in self._turns if turn.text is None]
            mixed = {name for turn in self._turns if turn.text is not None for name in turn.names} & set(places)
            if mixed:
                raise PromptError(
                    f"{{{sorted(mixed)[0]}}} stands both in a text and in place of messages. Name one anew."
                )
        for what, values in (("partials", partials), ("defaults", defaults)):
            if not isinstance(values, (Mapping, type(None))):
                raise PromptError(f"The {what} of a prompt are a dict of values by name, not {type(values).__name__}.")
        if not isinstance(prefix, (str, type(None))):
            raise PromptError(f"The prefix of a prompt is a text, not {type(prefix).__name__}.")
        given = dict(partials or {})
        for name in (*given, *(defaults or {})):
            if name not in names:
                raise PromptError(f"The prompt has no {{{name}}}.{nearest(name, names)}{_listed(names)}")
        for place in places:
            if place in given:
                given[place] = tuple(as_messages(given[place], f"{{{place}}}"))
        self.partials = MappingProxyType(given)
        self.defaults = MappingProxyType({name: x for name, x in (defaults or {}).items() if name not in given})
        self.variables = tuple(name for name in dict.fromkeys(names) if name not in given)
        self.placeholders = tuple(name for name in dict.fromkeys(places) if name not in given)
        self._open = frozenset(self.variables)
        self._needed = frozenset(name for name in self.variables if not self.may_lack(name))
        self.prefix = prefix

    @staticmethod
    def literal(text: str) -> str:
        """``text`` for a template, where its braces stay braces."""
        return text.replace("{", "{{").replace("}", "}}")

    def partial(self, /, **values: Any) -> Prompt:
        """A prompt in which these values stand already.

        Raises:
            PromptError: there is no such variable; the message has the nearest name.
        """
        self._refuse_unknown(values)
        return Prompt(self.template, partials={**self.partials, **values}, defaults=self.defaults, prefix=self.prefix)

    def format(self, /, **values: Any) -> Prompted:
        """The text, or the messages, with all variables filled in. What is no text is written as JSON.

        Raises:
            PromptError: a value is missing, or belongs to no variable; the message has the nearest name.
        """
        if not values.keys() <= self._open:
            self._refuse_unknown(values)
        every = {**self.defaults, **self.partials, **{name: x for name, x in values.items() if x is not None}}
        if not self._needed <= every.keys():
            raise missing_values([name for name in self.variables if name in self._needed - every.keys()], values)
        if self._whole is not None:
            return self._whole.fill(every)
        return [message for turn in self._turns for message in turn.fill(every)]

    def __call__(self, values: Mapping[str, Any], /) -> Prompted:
        """:meth:`format`, as a stage of a pipeline."""
        return self.format(**values)

    def may_lack(self, name: str) -> bool:
        """Whether the variable may be left out: it takes messages, or has a default."""
        return name in self.placeholders or name in self.defaults

    @property
    def is_text(self) -> bool:
        """Whether it makes a text, and not messages."""
        return self._whole is not None

    def before(self, name: str) -> str:
        """The text right before ``{name}``, up to the variable before it; ``""`` where there is none."""
        for text in [self._whole] if self._whole is not None else [turn.text for turn in self._turns]:
            if text is not None and name in text.names:
                return text.literals[text.names.index(name)]
        return ""

    def require(self, names: Iterable[str]) -> None:
        """Check that there are variables of these names.

        Raises:
            PromptError: some are missing; the message has the nearest names that there are.
        """
        there, wanted = (*self.variables, *self.partials), tuple(names)
        missing = [name for name in wanted if name not in there]
        if missing:
            hints = "".join(nearest(name, set(there).difference(wanted)) for name in missing)
            raise PromptError(f"The prompt has no {_braced(missing)}.{hints}{_listed(there)}")

    def outline(self) -> str:
        """Its form and all its variables, those with a value too: ``text with {tools}, {input}``."""
        names = self._whole.names if self._whole is not None else [name for turn in self._turns for name in turn.names]
        return f"{'text' if self.is_text else 'messages'} with {_braced(dict.fromkeys(names)) or 'no variables'}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Prompt):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self.variables, self.prefix))

    def __repr__(self) -> str:
        return f"<prompt: {self.outline()}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, self._key()

    def __copy__(self) -> Self:
        return self

    def _key(self) -> tuple[Any, ...]:
        return self.template, dict(self.partials), dict(self.defaults), self.prefix

    def _refuse_unknown(self, values: Iterable[str]) -> None:
        for name in values:
            if name not in self.variables:
                taken = " Its value is fixed already." if name in self.partials else nearest(name, self.variables)
                raise PromptError(f"The prompt has no open variable {{{name}}}.{taken}{_listed(self.variables)}")


def _rebuild(template: Any, partials: dict[str, Any], defaults: dict[str, Any], prefix: str | None) -> Prompt:
    return Prompt(template, partials=partials, defaults=defaults, prefix=prefix)


def default_prompt(hint: str, *, messages: bool) -> Prompt:
    """A plain prompt for a lect that has none of its own."""
    if messages:
        system = "Help the user. Call tools for what you do not know, one or several at a time; then answer."
        return Prompt([("system", system), "{chat_history}", ("user", "{input}"), "{agent_scratchpad}"])
    return Prompt(
        "Answer the question. You may use these tools, one step at a time; their results will be given to you.\n\n"
        f"{{tools}}\n\n{Prompt.literal(hint)}\n\nQuestion: {{input}}\n{{agent_scratchpad}}"
    )


def missing_values(names: Sequence[str], given: Iterable[str]) -> PromptError:
    """The error for variables without a value."""
    there = sorted(set(given) - set(names))
    hints = "".join(nearest(name, there) for name in names)
    told = f" Given: {', '.join(there)}." if there else " Nothing was given."
    return PromptError(f"The prompt needs a value for {_braced(names)}.{hints}{told}")


def as_text(value: Any, name: str) -> str:
    """The value of a variable as it stands in a text: text as it is, anything else as JSON.

    Raises:
        PromptError: it cannot be written as JSON.
    """
    if isinstance(value, str):
        return str.__str__(value)
    try:
        return dumps(value)
    except Exception as error:  # a stranger's __str__ among them
        raise PromptError(f"The value of {{{name}}} can't be written as JSON: {json_fault(error)}.") from error


def as_messages(value: Any, where: str) -> list[Message]:
    """Messages as callers give them, ``(role, content)`` or dicts, as dicts.

    Raises:
        PromptError: it is no list of messages; ``where`` says in the message where they should have gone.
    """
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise PromptError(f"{where} takes a list of messages, not {type(value).__name__}.")
    out = []
    for entry in value:
        fields = _fields(entry)
        if fields is None or not isinstance(fields.get("role"), str):
            raise PromptError(
                f"{where}: {entry!r:.100} is no message. Write (role, text) or a dict with role and content."
            )
        out.append({**fields, "role": _role(fields["role"])})
    return out


def _fields(entry: Any) -> Message | None:
    if isinstance(entry, Mapping):
        return dict(entry)
    if isinstance(entry, (tuple, list)) and len(entry) == 2:
        return {"role": entry[0], "content": entry[1]}
    return None


def _role(role: str) -> str:
    if role not in ROLES:
        raise PromptError(f"There is no role {role!r}.{nearest(role, ROLES)} The roles: {', '.join(ROLES)}.")
    return ROLES[role]


def _turn(entry: Any) -> _Turn:
    if isinstance(entry, str):
        alone = _ALONE.match(entry)
        if alone is None:
            raise PromptError(
                f"{entry!r:.100} has no role. Write (role, text), or a variable alone: '{{chat_history}}'."
            )
        return _Turn({}, None, alone[1])
    fields = _fields(entry)
    role, text = (None, None) if fields is None else (fields.get("role"), fields.get("content"))
    if fields is None or not isinstance(role, str) or not isinstance(text, str):
        raise PromptError(f"{entry!r:.100} is no message. Write (role, text) or a dict with role and content.")
    if role in PLACEHOLDERS:
        alone = _ALONE.match(text)
        if alone is None:
            raise PromptError(f"A placeholder is one variable, such as '{{chat_history}}', not {text!r:.100}.")
        return _Turn({}, None, alone[1])
    return _Turn({**fields, "role": _role(role)}, _Text(text))


def _braced(names: Iterable[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in names)


def _listed(names: Iterable[str]) -> str:
    return f" Its variables: {_braced(dict.fromkeys(names)) or 'none'}."
