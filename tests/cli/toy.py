"""Two lects for the tests of the command line, with faults on demand; loaded with ``--plugin``.

``toy`` speaks text: a line ``!name {json}`` is a call, ``=text`` the answer, any other line content. ``toy_messages``
speaks provider messages with a ``content`` in that form. The word KILL kills the process that reads it, BUG raises what
a lect must not raise, RAISE is refused, TABOO is
not written.
"""

from __future__ import annotations

import json
import os
import signal
from typing import Any, Literal

import polylect


class Parser:
    """Gives every chunk out as content, at once."""

    def __init__(self, lect: Toy, prefix: str) -> None:
        self.lect = lect
        self.prefix = prefix
        self.text = ""
        self.reply: polylect.Reply | None = None

    def feed(self, chunk: str | dict[str, Any]) -> list[polylect.Event]:
        text = chunk if isinstance(chunk, str) else str(chunk["content"])
        if "RAISE" in text:
            raise polylect.ParseError("refused", text=text, span=(0, 5), reason="limit", correction="Do not say it.")
        start = len(self.text)
        self.text += text
        return [polylect.ContentDelta(start, len(self.text), text)]

    def close(self, finish_reason: Literal["stop", "length"] = "stop") -> list[polylect.Event]:
        self.reply = self.lect.parse(self.prefix + self.text, finish_reason=finish_reason)
        return [polylect.ReplyEnd(len(self.text), len(self.text), self.reply)]


class Toy(polylect.Lect):
    name = "toy"
    title = "A toy for tests"
    family = "toys"
    stops = ()
    messages = False

    def parse(
        self, text: Any, /, *, tools: Any = None, prefix: str = "", finish_reason: str | None = "stop", **policies: Any
    ) -> polylect.Reply:
        if "KILL" in text:
            os.kill(os.getpid(), signal.SIGKILL)
        if "BUG" in text:
            raise ZeroDivisionError("a fault of the lect")
        if "RAISE" in text:
            raise polylect.ParseError("refused", text=text, span=(0, 5), reason="limit", correction="Do not say it.")
        content: list[str] = []
        calls: list[polylect.Call] = []
        answer = None
        for line in text.split("\n"):
            if line.startswith("!"):
                name, _, raw = line[1:].partition(" ")
                calls.append(polylect.Call(name, json.loads(raw or "{}"), raw))
            elif line.startswith("="):
                answer = line[1:]
            else:
                content.append(line)
        return polylect.Reply(
            content="\n".join(content),
            calls=tuple(calls),
            answer=answer,
            complete=finish_reason == "stop",
            text=text,
        )

    def parser(self, *, tools: Any = None, prefix: str = "", **policies: Any) -> Any:
        return Parser(self, prefix)

    def decide(self, reply: polylect.Reply, **policies: Any) -> Any:
        if reply.answer is not None:
            return polylect.AgentFinish({"output": reply.answer}, reply.text)
        if not reply.calls:
            raise polylect.ParseError("no call", text=reply.text, correction="Write a line that begins with !.")
        return [polylect.AgentAction(call.name, call.arguments or {}, reply.text) for call in reply.calls]

    def format(self, reply: polylect.Reply, *, tools: Any = None, **policies: Any) -> Any:
        if "TABOO" in reply.content:
            raise polylect.LectError("toy has a taboo")
        if "\n!" in f"\n{reply.content}":
            raise polylect.LectError("toy content has no line that begins with !")
        lines = [reply.content] if reply.content else []
        lines += [f"!{call.name} {json.dumps(call.arguments)}" for call in reply.calls]
        lines += [] if reply.answer is None else [f"={reply.answer}"]
        return "\n".join(lines)

    def format_steps(self, steps: Any, **policies: Any) -> Any:
        return "".join(f"!{step.action.tool}\n>{step.observation}\n" for step in steps)

    def detect(self, text: Any) -> float:
        return 1.0 if isinstance(text, str) and text.startswith(("!", "=")) else 0.0


class ToyMessages(Toy):
    name = "toy_messages"
    title = "A toy for tests, in messages"
    messages = True

    def parse(self, text: Any, /, **rest: Any) -> polylect.Reply:
        message = json.loads(text) if isinstance(text, str) and text.startswith("{") else text
        return super().parse(message["content"] if isinstance(message, dict) else message, **rest)

    def format(self, reply: polylect.Reply, *, tools: Any = None, **policies: Any) -> Any:
        return {"role": "assistant", "content": super().format(reply)}

    def format_steps(self, steps: Any, **policies: Any) -> Any:
        return [{"role": "tool", "content": step.observation} for step in steps]

    def detect(self, text: Any) -> float:
        return 0.0


polylect.register(Toy())
polylect.register(ToyMessages())
