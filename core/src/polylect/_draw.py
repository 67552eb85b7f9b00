"""Pictures of a pipeline: Mermaid for documents, plain text for terminals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._binding import BoundModel, name_of
from ._prompt import Prompt
from ._stages import FormatSteps, ReadReply

LABELS = {
    "format_scratchpad": "format scratchpad",
    "prompt": "prompt",
    "model": "model",
    "parse": "parse",
}
"""What each stage is called in a picture."""
OUTCOME = "actions or finish"


def label(stage: Any) -> str:
    """What a stage is, in a few words."""
    if stage is None:
        return "none yet"
    if isinstance(stage, Prompt):
        return stage.outline()
    return repr(stage) if isinstance(stage, (FormatSteps, BoundModel, ReadReply)) else name_of(stage)


def text(stages: Mapping[str, str]) -> str:
    """A column of stages, what each is beside it."""
    width = max(map(len, LABELS.values()))
    arrow = "  |\n  v"
    lines = ["steps, inputs"]
    for name, told in stages.items():
        lines += [arrow, f"{LABELS[name].ljust(width)}  {told}"]
    return "\n".join([*lines, arrow, OUTCOME])


def mermaid(stages: Mapping[str, str]) -> str:
    """A flowchart, from left to right."""
    lines = ["flowchart LR", '    inputs(["steps, inputs"])']
    lines += [f'    {name}["<b>{LABELS[name]}</b><br/>{escaped(told)}"]' for name, told in stages.items()]
    lines.append(f'    outcome(["{OUTCOME}"])')
    lines.append(f"    {' --> '.join(('inputs', *stages, 'outcome'))}")
    return "\n".join(lines)


def escaped(told: str) -> str:
    """Text inside a quoted label: what Mermaid or HTML would read as markup is written as entities.

    Mermaid takes directives (``%%{``), formulas (``$$``) and icons (``fa:fa-car``) out of labels too.
    """
    out = []
    for at, char in enumerate(told):
        marks = char in '"#&<>`\\%$' or not char.isprintable() or (char == ":" and told.startswith("fa-", at + 1))
        out.append(f"#{ord(char)};" if marks else char)
    return "".join(out)
