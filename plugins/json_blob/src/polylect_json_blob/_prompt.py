"""What a model is told about JSON blobs, in each of the tongues."""

from __future__ import annotations

from polylect import Prompt

JSON_BLOB = Prompt(
    """\
Answer the question as well as you can. You may use these tools; the arguments of each are given as JSON Schema:

{tools}

To use a tool, write one JSON object in a fence, and nothing after it:

```json
{{"action": "the name of the tool", "action_input": {{"argument": "value"}}}}
```

The action is one of: {tool_names}. The result will be given to you as an Observation; never write it yourself. You may
use tools as often as you need. When you know the answer, write:

```json
{{"action": "Final Answer", "action_input": "the answer to the question"}}
```

You may think in a few words first; every reply ends with exactly one such object.

Question: {input}

{agent_scratchpad}""",
    prefix="Thought:",
)

_FORM = """\
Write in this form, each label at the start of a line:

Question: the question to answer
Thought: what you know by now, and what you need next
Action:
```json
{{"action": "the name of the tool", "action_input": {{"argument": "value"}}}}
```
Observation: the result of the tool. It is given to you; never write it yourself.
(thoughts, actions and observations may come again, as often as you need tools)
Thought: I know the answer now.
Final Answer: the answer to the question

The action is one of: {tool_names}. There is one JSON object in each fence."""

REACT_JSON = Prompt(
    f"""\
Answer the question as well as you can. You may use these tools; the arguments of each are given as JSON Schema:

{{tools}}

{_FORM}

Begin.

Question: {{input}}
Thought:{{agent_scratchpad}}""",
    prefix="Thought:",
)

CHAT = Prompt(
    [
        (
            "system",
            f"""\
Answer the user's question as well as you can. You may use these tools; the arguments of each are given as JSON Schema:

{{tools}}

{_FORM}

What you have written so far stands under the question, with the observations. Go on from there: write the next thought
with its action and stop, or the last thought with the final answer.""",
        ),
        ("placeholder", "{chat_history}"),
        ("user", "Question: {input}\n\n{agent_scratchpad}"),
    ],
    prefix="",
)

JSON_CHAT = Prompt(
    [
        (
            "system",
            """\
Help the user as well as you can. You may use these tools; the arguments of each are given as JSON Schema:

{tools}

Each of your messages is one JSON object in a fence, and nothing else. To use a tool, write:

```json
{{"action": "the name of the tool", "action_input": {{"argument": "value"}}}}
```

The action is one of: {tool_names}. Its result comes in the next message; never write it yourself. You may use tools as
often as you need. To answer the user, write:

```json
{{"action": "Final Answer", "action_input": "what you say to the user"}}
```""",
        ),
        ("placeholder", "{chat_history}"),
        ("user", "{input}"),
        ("placeholder", "{agent_scratchpad}"),
    ],
    prefix="",
)
