"""The lect ``json_blob``."""

from __future__ import annotations

from ._blobs import BlobLect
from ._prompt import JSON_BLOB


class JsonBlob(BlobLect):
    """``{"action": tool, "action_input": arguments}``, fenced or bare; the action ``Final Answer`` ends the run.

    Source: LangChain's structured chat agent, and the agents that copied it. Several blobs, or a list of them, are
    several calls. Arguments are checked against the tool's JSON Schema with ``jsonschema``.
    """

    name = "json_blob"
    title = 'Structured chat: {"action": …, "action_input": …}, fenced or bare'
    aliases = ("structured_chat",)
    grammar_file = "json_blob.lark"
    prompt = JSON_BLOB
    examples = (
        '```json\n{"action": "search", "action_input": {"query": "weather in Oslo"}}\n```',
        'I will look it up.\n```json\n{"action": "forecast", "action_input": {"city": "Oslo", "days": 3}}\n```',
        '{"action": "note", "action_input": "a fence ``` and a brace } in a text"}',
        '```json\n{"action": "Final Answer", "action_input": "It rains.\\nTake \\"both\\" coats."}\n```',
        '[{"action": "search", "action_input": {"query": "a"}}, {"action": "search", "action_input": {"query": "b"}}]',
        '<think>\nMaybe {"action": "search"}?\n</think>\n{"action": "now", "action_input": {}}',
    )
