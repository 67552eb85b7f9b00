"""Operations of OpenAPI documents as tools, and the calls that they send."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polylect import OpenApiCall, Tool, ToolError, as_tool, openai_tools, openapi_tools, toolbox
from polylect.agent._arguments import ArgumentFault, bind, is_async

DOCUMENT: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Pets", "version": "1"},
    "paths": {
        "/pets": {
            "get": {
                "operationId": "listPets",
                "summary": "List pets.",
                "description": "All of them.",
                "parameters": [
                    {"$ref": "#/components/parameters/Limit"},
                    {"name": "tag", "in": "query", "description": "of a kind",
                     "schema": {"type": "string", "nullable": True}},
                    {"name": "X-Trace", "in": "header", "schema": {"type": "string"}},
                    {"name": "Authorization", "in": "header", "required": True, "schema": {"type": "string"}},
                    {"name": "filter", "in": "query", "content": {"application/json": {"schema": {"type": "object"}}}},
                ],
            },
            "post": {
                "operationId": "addPet",
                "requestBody": {"$ref": "#/components/requestBodies/Pet"},
            },
        },
        "/pets/{id}/{part}": {
            "summary": "One pet.",
            "parameters": [
                {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}},
                {"name": "part", "in": "path", "required": True, "schema": {"type": "string"}},
            ],
            "get": {"description": "A part of a pet."},
            "put": {
                "operationId": "feed",
                "parameters": [{"name": "id", "in": "query", "schema": {"type": "string"}},
                               {"name": "part", "in": "path", "required": True, "schema": {"enum": ["mouth"]}}],
                "requestBody": {"content": {"text/plain": {"schema": {"type": "string"}}}, "required": True},
            },
        },
    },
    "components": {
        "parameters": {
            "Limit": {"name": "limit", "in": "query",
                      "schema": {"type": "integer", "minimum": 0, "exclusiveMinimum": True}}
        },
        "requestBodies": {
            "Pet": {
                "required": True,
                "content": {
                    "application/xml": {"schema": {}},
                    "application/vnd.pets+json": {"schema": {"$ref": "#/components/schemas/Pet"}},
                },
            }
        },
        "schemas": {
            "Pet": {
                "type": "object",
                "title": "Pet",
                "required": ["name"],
                "properties": {
                    "name": {"type": "string", "example": "Rex"},
                    "uid": {"type": "string", "readOnly": True},
                    "example": {"type": "string", "enum": ["a"], "nullable": True},
                    "mother": {"nullable": True, "allOf": [{"$ref": "#/components/schemas/Pet"}]},
                },
            }
        },
    },
}  # fmt: skip


def tools(send: Any = None) -> dict[str, Tool]:
    found = openapi_tools(DOCUMENT, send)
    assert toolbox(found) is not None
    assert openai_tools(found)
    return {tool.name: tool for tool in found}


def sent(name: str, given: Any) -> OpenApiCall:
    tool = tools(lambda call: call)[name]
    args, kwargs = bind(tool, given)
    assert not args
    found: OpenApiCall = tool(**kwargs)
    return found


def test_every_operation_is_a_tool() -> None:
    found = tools()
    assert list(found) == ["listPets", "addPet", "get_pets_id_part", "feed"]
    assert [tool.description for tool in found.values()] == ["List pets.\n\nAll of them.", "", "A part of a pet.", ""]
    assert all(tool.function is None for tool in found.values())


def test_parameters_are_arguments() -> None:
    assert tools()["listPets"].parameters == {
        "type": "object",
        "properties": {
            "limit": {"type": "integer", "exclusiveMinimum": 0},
            "tag": {"description": "of a kind", "type": ["string", "null"]},
            "X-Trace": {"type": "string"},
            "filter": {"type": "object"},
        },
    }
    assert tools()["get_pets_id_part"].required == ("id", "part")


def test_members_of_the_body_are_arguments() -> None:
    tool = tools()["addPet"]
    assert list(tool.properties) == ["name", "example", "mother"]
    assert tool.required == ("name",)
    assert tool.properties["example"] == {"type": ["string", "null"], "enum": ["a", None]}
    assert tool.properties["mother"] == {"anyOf": [{"allOf": [{"$ref": "#/$defs/Pet"}]}, {"type": "null"}]}
    assert list(tool.parameters["$defs"]["Pet"]["properties"]) == ["name", "uid", "example", "mother"]


def test_a_body_that_is_no_object_is_an_argument_and_names_do_not_collide() -> None:
    tool = tools()["feed"]
    assert tool.properties == {
        "id": {"type": "integer"},
        "part": {"enum": ["mouth"]},
        "id_query": {"type": "string"},
        "body": {"type": "string"},
    }
    assert tool.required == ("id", "part", "body")


def test_calls_are_ready_to_be_sent() -> None:
    call = sent("feed", {"id": 7, "part": "mouth", "id_query": "x", "body": "meat"})
    assert (call.method, call.path, call.query, call.body, call.media) == (
        "PUT", "/pets/7/mouth", {"id": "x"}, "meat", "text/plain",
    )  # fmt: skip
    assert call.operation is DOCUMENT["paths"]["/pets/{id}/{part}"]["put"]
    call = sent("listPets", {"limit": 3, "tag": None, "X-Trace": "t", "filter": {"a": 1}})
    assert (call.path, call.query, call.headers) == (
        "/pets", {"limit": 3, "tag": None, "filter": {"a": 1}}, {"X-Trace": "t"},
    )  # fmt: skip
    assert (call.cookies, call.body, call.media) == ({}, None, None)
    call = sent("addPet", {"name": "Rex", "mother": {"name": "Lassie"}})
    assert (call.body, call.media) == ({"name": "Rex", "mother": {"name": "Lassie"}}, "application/vnd.pets+json")


def test_a_body_that_is_needed_is_sent_without_members_too() -> None:
    body: dict[str, Any] = {"content": {"application/json": {"schema": {"properties": {"a": {}}}}}}
    for required, wanted in ((True, {}), (False, None)):
        operation = {"operationId": "x", "requestBody": {**body, "required": required}}
        (tool,) = openapi_tools({"openapi": "3.1.0", "paths": {"/x": {"post": operation}}}, lambda call: call.body)
        assert tool() == wanted
        assert tool(a=1) == {"a": 1}


def test_arguments_are_checked() -> None:
    with pytest.raises(ArgumentFault, match=r"\$\.limit: 0 is less than or equal to the minimum of 0"):
        sent("listPets", {"limit": 0})
    with pytest.raises(ArgumentFault, match="there is no argument 'uid'"):
        sent("addPet", {"name": "Rex", "uid": "1"})
    with pytest.raises(ArgumentFault, match="there is no argument 'Authorization'"):
        sent("listPets", {"Authorization": "Bearer x"})


def test_an_asynchronous_send_makes_asynchronous_tools() -> None:
    async def send(call: OpenApiCall) -> str:
        return call.path

    tool = tools(send)["get_pets_id_part"]
    assert is_async(tool)
    assert not is_async(tools(lambda call: call)["get_pets_id_part"])
    assert asyncio.run(tool(id=1, part="tail")) == "/pets/1/tail"


@pytest.mark.parametrize("part", ["", ".", ".."])
def test_no_argument_leads_to_another_path(part: str) -> None:
    with pytest.raises(ValueError, match="The argument 'part' is a part of the path, and can't be"):
        sent("get_pets_id_part", {"id": 1, "part": part})


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(st.text("a/.?#%{}\\ é&=\n", min_size=1, max_size=8).filter(lambda x: x not in (".", "..")))
def test_an_argument_stays_in_its_place(part: str) -> None:
    path = sent("get_pets_id_part", {"id": 1, "part": part}).path
    begin, _, rest = path.rpartition("/")
    assert begin == "/pets/1"
    assert unquote(rest) == part
    assert not set(rest) & set("/?#\\ \n")


def test_a_header_has_no_line_breaks() -> None:
    with pytest.raises(ValueError, match="A header has no line breaks"):
        sent("listPets", {"X-Trace": "a\r\nHost: b"})


def test_an_operation_that_stands_alone_is_a_tool() -> None:
    operation = {"operationId": "now", "summary": "The time.", "parameters": [{"name": "zone", "in": "query"}]}
    tool = as_tool(operation)
    assert (tool.name, tool.description, tool.properties) == ("now", "The time.", {"zone": {}})
    with pytest.raises(ToolError, match="leads nowhere"):
        as_tool({"operationId": "now", "parameters": [{"$ref": "#/components/parameters/Zone"}]})


def of_schema(schema: Any) -> dict[str, Any]:
    body = {"content": {"application/json": {"schema": schema}}}
    return {"openapi": "3.1.0", "paths": {"/x": {"post": {"operationId": "x", "requestBody": body}}}}


@pytest.mark.parametrize(
    "document",
    [
        {},
        [],
        {"swagger": "2.0", "paths": {}},
        {"openapi": "3.1.0", "paths": {"/x": 5}},
        {"openapi": "3.1.0", "paths": {"/x": {"$ref": "#/nowhere"}}},
        {"openapi": "3.1.0", "paths": {"/x": {"get": {"parameters": {}}}}},
        {"openapi": "3.1.0", "paths": {"/x": {"get": {"parameters": [5]}}}},
        {"openapi": "3.1.0", "paths": {"/x": {"get": {"parameters": [{"in": "query"}]}}}},
        {"openapi": "3.1.0", "paths": {"/x": {"get": {"parameters": [{"name": "x", "in": "body"}]}}}},
        {"openapi": "3.1.0", "paths": {"/x": {"get": {"requestBody": 5}}}},
        of_schema({"$ref": "#/components/schemas/Nowhere"}),
        of_schema({"type": "array", "items": {"$ref": "other.json"}}),
        of_schema({"type": "array", "items": {"enum": list(range(30_000))}}),
    ],
)
def test_a_broken_document_is_the_callers_error(document: Any) -> None:
    with pytest.raises(ToolError):
        openapi_tools(document)


def test_documents_that_branch_without_an_end_are_read_or_refused() -> None:
    schemas: dict[str, Any] = {f"D{n}": {"anyOf": [{"$ref": f"#/components/schemas/D{n + 1}"}] * 9} for n in range(30)}
    schemas["D30"] = {"type": "array", "items": {"$ref": "#/components/schemas/D0"}}
    document = {**of_schema({"$ref": "#/components/schemas/D0"}), "components": {"schemas": schemas}}
    (tool,) = openapi_tools(document)
    assert len(tool.parameters["$defs"]) == 31
    deep: Any = {"type": "string"}
    for _ in range(5_000):
        deep = {"type": "array", "items": deep}
    with pytest.raises(ToolError, match="nested too deeply"):
        openapi_tools(of_schema(deep))
