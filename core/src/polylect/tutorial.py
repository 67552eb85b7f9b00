"""The tutorial's agent: a question, two tools, and a script of what a model says to it.

>>> import polylect
>>> from polylect import tutorial
>>> agent = polylect.Agent("react_bracket", tutorial.model("react_bracket"), tutorial.TOOLS)
>>> agent.run(tutorial.QUESTION).output
'54,583'

On the command line: ``polylect run --lect react_bracket --model scripted``. The question, the facts and the order of
the steps are those of the ReAct tutorial in M. Brenndoerfer's *Language AI Handbook*.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ._examples import Example
from ._values import Call, Reply

if TYPE_CHECKING:
    from ._lect import Lect
    from ._scripted import Scripted

__all__ = ["EXAMPLES", "FACTS", "QUESTION", "REPLIES", "TOOLS", "calculate", "model", "replies", "search"]

QUESTION: Final = "What is the population of the city where the author of 'The Old Man and the Sea' was born?"
"""It takes three searches: each needs what the one before it found."""

FACTS: Final = {
    "capital of france": "Paris",
    "population of paris": "2.1 million (2020 estimate)",
    "area of paris": "105 square kilometers",
    "eiffel tower height": "330 meters",
    "eiffel tower year built": "1889",
    "author old man sea": "Ernest Hemingway wrote 'The Old Man and the Sea' in 1952",
    "ernest hemingway birthplace": "Oak Park, Illinois",
    "population oak park illinois": "54,583",
    "author the old man and the sea": "Ernest Hemingway wrote The Old Man and the Sea in 1952",
}
"""All that ``search`` knows, by the words that a query must hold."""

REPLIES: Final = (
    Reply(
        reasoning="First I need to know who wrote the book.",
        calls=(Call("search", "author The Old Man and the Sea"),),
    ),
    Reply(
        reasoning="It was Ernest Hemingway. Now I need the place where he was born.",
        calls=(Call("search", "Ernest Hemingway birthplace"),),
    ),
    Reply(
        reasoning="That is Oak Park, Illinois. What is missing is how many people live there.",
        calls=(Call("search", "population Oak Park Illinois"),),
    ),
    Reply(reasoning="Oak Park has 54,583 inhabitants, and that was the question.", answer="54,583"),
)
"""What the model says, turn by turn. A reply is no text yet: a scripted model writes it in whatever lect it speaks."""

EXAMPLES: Final = (
    Example(
        "What is 15 multiplied by 7?",
        (
            Reply(reasoning="This takes a calculation.", calls=(Call("calculate", "15 * 7"),)),
            Reply(reasoning="That is the answer.", answer="105"),
        ),
        (("105",),),
    ),
    Example(
        "What is the capital of France?",
        (
            Reply(reasoning="I look it up.", calls=(Call("search", "capital of France"),)),
            Reply(reasoning="That is the answer.", answer="Paris"),
        ),
        (("Paris",),),
    ),
)
"""Two worked examples for the prompt, ``Agent(…, examples=tutorial.EXAMPLES)``: small models need to see the form."""


def search(query: str) -> str:
    """Look up a fact about Paris, the Eiffel Tower, Ernest Hemingway or Oak Park.

    Args:
        query: a few words, such as "capital of France".
    """
    words = query.lower()
    for key, fact in FACTS.items():
        if all(word in words for word in key.split()):
            return fact
    return f"No results found for: {query}"


LONGEST: Final = 1_000
"""Characters of an expression: longer than any that a model has a reason to write."""
LARGEST: Final = 10_000
"""Bits of a whole number, some 3,000 digits: what Python calculates and writes in no time."""

_HINT = "Use numbers, brackets, and + - * / **."
_SIGNS = re.compile(r"[0-9eE.,_+\-*/%()\s]*")
_OPERATORS: dict[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
}


def calculate(expression: str) -> str:
    """Calculate with numbers.

    Args:
        expression: arithmetic with + - * / ** and brackets, such as "15 * 7".
    """
    try:
        return str(_value(_tree(expression)))
    except ZeroDivisionError:
        return "Error: division by zero"
    except OverflowError:
        return "Error: The result is too large."
    except (RecursionError, MemoryError):
        return "Error: The expression is nested too deeply."
    except SyntaxError:  # whose words tell of Python, not of arithmetic
        return f"Error: This is no arithmetic. {_HINT}"
    except ValueError as error:
        return f"Error: {error}"


def _tree(expression: str) -> ast.expr:
    text = expression.strip()
    if not text:
        raise ValueError("There is nothing to calculate.")
    if len(text) > LONGEST:
        raise ValueError(f"An expression has at most {LONGEST:,} characters.")
    known = _SIGNS.match(text)
    assert known is not None  # it matches no characters too
    if known.end() < len(text):
        raise ValueError(f"There is no {text[known.end()]!r} in arithmetic. {_HINT}")
    if "," in text:
        raise ValueError("A number has no commas here: write 54583, not 54,583.")
    return ast.parse(text, mode="eval").body


def _value(tree: ast.expr) -> float:
    """The value of a tree. Long sums are deep trees, so it goes down without recursion."""
    values: list[float] = []
    waiting: list[tuple[ast.expr, bool]] = [(tree, False)]
    while waiting:
        node, ready = waiting.pop()
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            values.append(_checked(node.value))
            continue
        if not isinstance(node, (ast.BinOp, ast.UnaryOp)) or type(node.op) not in _OPERATORS:
            raise ValueError(f"This can't be calculated here. {_HINT}")
        if not ready:
            below = [node.left, node.right] if isinstance(node, ast.BinOp) else [node.operand]
            waiting.append((node, True))
            waiting += [(inner, False) for inner in reversed(below)]
            continue
        given = [values.pop() for _ in range(2 if isinstance(node, ast.BinOp) else 1)][::-1]
        if isinstance(node.op, ast.Pow):
            _check_power(*given)
        values.append(_checked(_OPERATORS[type(node.op)](*given)))
    return values[0]


def _check_power(base: float, exponent: float) -> None:
    """Powers grow beyond all bounds with few characters, so this is found out before they are calculated."""
    if base < 0 and exponent != int(exponent):
        raise ValueError("A negative number has no such root.")
    whole = isinstance(base, int) and isinstance(exponent, int)
    if whole and abs(base) > 1 and exponent > 0 and int(base).bit_length() * exponent > LARGEST:
        raise OverflowError


def _checked(value: float) -> float:
    if isinstance(value, int) and value.bit_length() > LARGEST:
        raise OverflowError
    if isinstance(value, float) and not math.isfinite(value):
        raise OverflowError
    return value


TOOLS: Final = (search, calculate)


def replies(lect: str | Lect) -> list[Reply]:
    """:data:`REPLIES` as far as a lect has words for them; where inputs are objects, as such.

    Raises:
        LectError: there is no such lect.
    """
    from ._building import lect_of
    from ._examples import fitting, named_inputs
    from ._tools import Toolbox, as_tool

    spoken = lect_of(lect)
    fitted = [fitting(reply, spoken) for reply in REPLIES]
    if "text_input" in spoken.features:
        return fitted
    return [named_inputs(reply, Toolbox(map(as_tool, TOOLS))) for reply in fitted]


def model(lect: str | Lect, *, delay: float = 0.0, chunk: int | None = None) -> Scripted:
    """A model that says :data:`REPLIES` in a lect, once.

    Args:
        lect: the tongue, by name or as it is.
        delay: seconds that each reply takes.
        chunk: characters in each chunk that it gives; None: replies come whole.

    Raises:
        LectError: there is no such lect.
    """
    from ._scripted import Scripted

    return Scripted(replies(lect), lect=lect, delay=delay, chunk=chunk)
