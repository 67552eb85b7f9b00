"""Whatever a server sends as JSON becomes chunks of one shape."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polylect.plugin import Reader
from polylect_openai._reading import ChatReader, CompletionsReader

KEYS = st.sampled_from(["choices", "delta", "message", "text", "content", "index", "finish_reason", "usage", "role"])
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize("reader", [ChatReader(), CompletionsReader()])
@given(data=st.dictionaries(KEYS, JSON, max_size=4))
def test_any_json_is_read(reader: Reader, data: dict[str, Any]) -> None:
    for chunk in reader.chunks("", data):
        assert all(isinstance(choice["delta"], dict) for choice in chunk["choices"])
    assert isinstance(reader.whole(data)["choices"], list)


def test_a_text_is_content() -> None:
    reader = CompletionsReader()
    data = {"id": "c", "choices": [{"text": "a", "index": 0, "logprobs": None, "finish_reason": "stop"}]}
    (chunk,) = reader.chunks("", data)
    assert chunk == {"id": "c", "choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": "stop"}]}
    said = {"role": "assistant", "content": "a"}
    assert reader.whole(data)["choices"] == [{"index": 0, "message": said, "finish_reason": "stop"}]
