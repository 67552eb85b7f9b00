"""What a model is told about JSON blobs."""

from __future__ import annotations

from polylect import Prompt

PROMPT = Prompt(
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
