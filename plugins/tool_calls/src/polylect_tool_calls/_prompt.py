"""What a model is told that calls tools natively: not how, but when."""

from __future__ import annotations

from polylect import Prompt

PROMPT = Prompt(
    [
        (
            "system",
            "You are a helpful assistant. When you are not sure of something, look it up with a tool instead of "
            "relying on memory, and leave calculations to tools. Call several tools at once where their results do not "
            "depend on each other. When you know enough, answer in plain text.",
        ),
        ("placeholder", "{chat_history}"),
        ("user", "{input}"),
        ("placeholder", "{agent_scratchpad}"),
    ]
)
