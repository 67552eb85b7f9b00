"""What the page on looking at a run shows is what is shown: the report, the picture, the flowchart, the limits.

``python -m tests.docs.test_looking`` at the root writes them anew.
"""

from __future__ import annotations

import re
from pathlib import Path

import polylect
from polylect import tutorial
from polylect.agent import RunResult, ToolResult, TurnRecord
from polylect.agent import _mermaid as mermaid
from polylect.agent import _picture as picture
from polylect.agent import _report as report
from polylect.agent._view import SEEN

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "looking-at-a-run.md"
PICTURE = ROOT / "docs" / "run.svg"
SIZES = (780, 912, 1027, 1158)


def shown() -> RunResult:
    """The tutorial's run, in no time, and with prompts of given sizes."""
    turns = []
    for number, reply in enumerate(tutorial.REPLIES, 1):
        actions = tuple(polylect.AgentAction(call.name, call.arguments or "") for call in reply.calls)
        results = tuple(ToolResult(tutorial.search(str(action.tool_input))) for action in actions)
        turns.append(TurnRecord(number, reply, None, actions, results, prompt_size=SIZES[number - 1]))
    inputs = {"input": tutorial.QUESTION}
    return RunResult("54,583", "finished", turns=tuple(turns), inputs=inputs, iterations=4, lect="react_bracket")


def filled() -> str:
    """The page with what is shown now."""
    page = PAGE.read_text("utf-8")
    for language, text in (("text", shown().to_text()), ("mermaid", shown().to_mermaid() + "\n")):
        before, mark, rest = page.partition(f"```{language}\n")
        page = before + mark + text + rest[rest.index("```\n") :]
    return page


def test_the_page_shows_the_report_and_the_flowchart() -> None:
    assert PAGE.read_text("utf-8") == filled(), "run: python -m tests.docs.test_looking"


def test_the_picture_on_the_page() -> None:
    assert PICTURE.read_text("utf-8") == shown().to_svg(), "run: python -m tests.docs.test_looking"


def test_a_real_run_shows_the_same() -> None:
    agent = polylect.Agent("react_bracket", tutorial.model("react_bracket"), tutorial.TOOLS)
    told = agent.run(tutorial.QUESTION).to_text()
    told = re.sub(r"^  Time .*\n|(?<=^Turn \d)  .*", "", told, flags=re.M)
    assert told == shown().to_text()


def test_labels_and_limits_are_as_the_page_has_them() -> None:
    page = PAGE.read_text("utf-8")
    assert all(f"`{label}`" in page for label in SEEN.values())
    for told in (
        f"more than {picture.MAX_TURNS} turns", f"more than {picture.MAX_CALLS} calls in a turn",
        f"{picture.MAX_LINES} lines, {picture.STACK_LINES} where", f"up to {picture.MAX_TITLE:,} characters",
        f"after {report.LIMIT:,} characters", f"after {mermaid.LIMITS[0]} characters here",
        f"of a turn {mermaid.MAX_CALLS} calls",
    ):  # fmt: skip
        assert told in page


if __name__ == "__main__":
    PAGE.write_text(filled(), "utf-8")
    PICTURE.write_text(shown().to_svg(), "utf-8")
