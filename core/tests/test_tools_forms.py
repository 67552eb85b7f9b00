"""Tools in the newer forms: docstrings in every style, the decorator, MCP's objects, custom tools."""

from __future__ import annotations

import functools
import subprocess
import sys
import textwrap
from types import SimpleNamespace
from typing import Annotated, Any

import pydantic
import pytest

import polylect
from polylect import Tool, ToolError, as_tool
from polylect._docstrings import read_docstring

STYLES = {
    "Google": """Forecast the weather.

        From the nearest station:
        the next days.

        Args:
            city (str): where it
                shall be
            days: how many
            unknown: nothing of the kind

        Returns:
            The forecast.

        Raises:
            ValueError: never.
        """,
    "NumPy": """Forecast the weather.

        From the nearest station:
        the next days.

        Parameters
        ----------
        city : str
            where it
            shall be
        days : int, optional
            how many

        Returns
        -------
        str
            The forecast.
        """,
    "reST": """Forecast the weather.

        From the nearest station:
        the next days.

        :param city: where it
            shall be
        :type city: str
        :param int days: how many
        :returns: the forecast
        """,
    "Epydoc": """Forecast the weather.

        From the nearest station:
        the next days.

        @param city: where it
            shall be
        @type city: str
        @param days: how many
        @return: the forecast
        """,
}


@pytest.mark.parametrize("style", STYLES)
def test_a_docstring_is_read_in_every_style(style: str) -> None:
    def forecast(city: str, days: Annotated[int, "from today on"] = 3, *, wind: bool = False) -> str:
        return city

    forecast.__doc__ = STYLES[style]
    tool = as_tool(forecast)
    assert tool.description == "Forecast the weather.\n\nFrom the nearest station:\nthe next days."
    assert tool.properties["city"]["description"].split() == ["where", "it", "shall", "be"]
    assert tool.properties["days"]["description"] == "from today on"
    assert "description" not in tool.properties["wind"]
    assert list(tool.properties) == ["city", "days", "wind"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "One line.",
        "Two\nlines: all of it.",
        "A list:\n\n- one\n- two: three",
        "Note that args: are not a section here.",
        "See https://example.org: there is more.",
        "At 12:30 it returns: the time.",
    ],
)
def test_a_plain_docstring_is_the_description(text: str) -> None:
    assert read_docstring(text) == (text, {})
    assert read_docstring(f"\n        {text.replace(chr(10), chr(10) + ' ' * 8)}\n        ") == (text, {})


def test_no_docstring_is_no_description() -> None:
    assert read_docstring(None) == ("", {})
    assert as_tool(functools.partial(lambda x: x)).description == ""


def test_a_partial_has_the_docstring_of_its_function() -> None:
    def look(what: str, where: str) -> str:
        """Look.

        Args:
            what: for this
            where: in here
        """
        return what

    tool = as_tool(functools.partial(look, where="here"))
    assert (tool.description, tool.properties) == ("Look.", {"what": {"type": "string", "description": "for this"}})


@pytest.mark.parametrize(
    ("library", "source"),
    [
        ("docstring_parser", "def f(x: int):\n    '''F.\n\n    Args:\n        x: an x\n    '''\npolylect.as_tool(f)"),
        ("pydantic", "import datetime\ndef f(x: datetime.date): ...\npolylect.as_tool(f)"),
        ("pydantic", "import datetime\ndef f(x: datetime.date): ...\n"
                     "bind(polylect.Tool('f', '', {'properties': {'x': {}}}, f), {'x': '2024-05-17'})"),
        ("jsonschema", "bind(polylect.Tool('f', '', {'properties': {'x': {'minLength': 1}}}), {'x': 'a'})"),
    ],
)  # fmt: skip
def test_a_library_that_is_missing_is_named_with_the_line_that_installs_it(library: str, source: str) -> None:
    code = (
        f"import sys\nsys.modules[{library!r}] = None\nimport polylect\n"
        f"from polylect.agent._arguments import bind\ntry:\n{textwrap.indent(source, '    ')}\n"
        "except polylect.ToolError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, timeout=60, capture_output=True, text=True)
    assert done.stdout.endswith("pip install 'polylect-core[agent]'.\n")
    assert library.replace("_", "-") in done.stdout


# --- the decorator ----------------------------------------------------------------------------------------------------


def test_a_function_is_decorated() -> None:
    @polylect.tool
    def search(query: str) -> str:
        """Look it up."""
        return query.upper()

    @polylect.tool(name="look", description="Look.", return_direct=True)
    def other(query: str) -> str:
        """Look it up."""
        return query

    assert isinstance(search, Tool)
    assert (search.name, search.description, search.return_direct) == ("search", "Look it up.", False)
    assert (other.name, other.description, other.return_direct) == ("look", "Look.", True)
    assert search("Oslo") == "OSLO"
    assert as_tool(search) is search
    assert polylect.tool(len, name="length").name == "length"
    for name in ("", " ", 5):
        with pytest.raises(ToolError):
            polylect.tool(len, name=name)  # type: ignore[arg-type]
    with pytest.raises(ToolError):
        polylect.tool(return_direct=1)(len)  # type: ignore[call-overload]


def test_a_class_of_pydantics_is_decorated() -> None:
    @polylect.tool
    class Search(pydantic.BaseModel):
        """Look it up."""

        query: str

    assert isinstance(Search, Tool)
    assert (Search.name, Search.description, Search.function) == ("Search", "Look it up.", None)


@pytest.mark.parametrize(
    ("field", "told"),
    [
        ({"return_direct": 1}, "return_direct of tool 'a' is True or False, not 1."),
        ({"function": "f"}, "The function of tool 'a' can't be called: it is str."),
    ],
)
def test_fields_of_wrong_types_are_told(field: dict[str, Any], told: str) -> None:
    with pytest.raises(ToolError) as caught:
        as_tool(Tool("a", **field))
    assert str(caught.value) == told


# --- others' forms ----------------------------------------------------------------------------------------------------

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}}


class McpLike(pydantic.BaseModel):
    """As the MCP SDK lists tools."""

    name: str
    title: str | None = None
    description: str | None = None
    inputSchema: dict[str, Any]  # noqa: N815 - the protocol's own name


@pytest.mark.parametrize(
    "form",
    [
        McpLike(name="search", description="Look it up.", inputSchema=SCHEMA),
        SimpleNamespace(name="search", description="Look it up.", inputSchema=SCHEMA, annotations=None),
        SimpleNamespace(name="search", description="Look it up.", input_schema=SCHEMA),
        McpLike(name="search", description="Look it up.", inputSchema=SCHEMA).model_dump(),
    ],
    ids=["SDK", "object", "other spelling", "dumped"],
)
def test_mcps_tools_are_tools(form: Any) -> None:
    tool = as_tool(form)
    assert (tool.name, tool.description, tool.parameters, tool.function) == ("search", "Look it up.", SCHEMA, None)
    assert as_tool(McpLike(name="now", inputSchema={"type": "object", "properties": {}})).description == ""


@pytest.mark.parametrize(
    "form",
    [
        {"type": "custom", "custom": {"name": "run", "description": "Run it.", "format": {"type": "text"}}},
        {"type": "custom", "name": "run", "description": "Run it.", "format": {"type": "text"}},
    ],
    ids=["chat completions", "responses"],
)
def test_custom_tools_take_a_text(form: dict[str, Any]) -> None:
    tool = as_tool(form)
    assert (tool.name, tool.description, tool.custom) == ("run", "Run it.", {"format": {"type": "text"}})
    assert tool.takes_text
    assert tool.required == ("input",)
    written = {"type": "custom", "custom": {"name": "run", "description": "Run it.", "format": {"type": "text"}}}
    assert polylect.openai_tools([form]) == [written]
    assert as_tool(written) == tool
    other = as_tool(form)
    other.parameters["properties"]["more"] = {}
    assert list(as_tool(form).properties) == ["input"]
