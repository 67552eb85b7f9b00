"""llama.cpp's chunks in the common form."""

from __future__ import annotations

from typing import Any

from polylect.plugin import decode, dumps

Fields = dict[str, Any]
ARGUMENTS = '"arguments":'


def plain_chunk(data: Fields) -> Fields:
    """A chunk of a chat, or of a text (whose text is content), with what counts alone."""
    choices = [
        {
            "index": choice.get("index", 0),
            "delta": choice.get("delta") or {"content": choice.get("text") or ""},
            "finish_reason": choice.get("finish_reason"),
        }
        for choice in data.get("choices") or ()
    ]
    return {"id": data.get("id"), "model": data.get("model"), "choices": choices, "usage": data.get("usage")}


class ForcedCall:
    """Makes a call of a reply that a schema has forced to be one: ``{"name": …, "arguments": …}`` and nothing else."""

    def __init__(self, identifier: str) -> None:
        self._id = identifier
        self._text: list[str] = []

    def chunks(self, chunk: Fields) -> list[Fields]:
        """A chunk -> the chunks to be given: the call comes with the end of the reply."""
        for choice in chunk["choices"]:
            self._text.append(choice["delta"].get("content") or "")
            if choice["finish_reason"] is not None:
                call, whole = self._call("".join(self._text))
                said = {"index": 0, "delta": {"role": "assistant", **call}, "finish_reason": None}
                reason = "tool_calls" if whole else choice["finish_reason"]
                over = {**choice, "delta": {}, "finish_reason": reason}
                return [{**chunk, "choices": [said], "usage": None}, {**chunk, "choices": [over]}]
        return [] if chunk["choices"] else [chunk]

    def _call(self, text: str) -> tuple[Fields, bool]:
        """(the call, whether it is whole)."""
        found = decode(text)[0]
        if isinstance(found, dict) and isinstance(found.get("name"), str):
            return self._written(found["name"], dumps(found.get("arguments"))), True
        head, mark, rest = text.partition(ARGUMENTS)  # the reply was cut: so is the call
        name = decode(f"{head.rstrip().rstrip(',')}}}")[0]
        if mark and isinstance(name, dict) and isinstance(name.get("name"), str):
            return self._written(name["name"], rest.strip() or "{"), False
        return {"content": text}, False

    def _written(self, name: str, arguments: str) -> Fields:
        function = {"name": name, "arguments": arguments}
        return {"tool_calls": [{"index": 0, "id": self._id, "type": "function", "function": function}]}
