"""Traces of polylect's agents, by OpenTelemetry. Installing this distribution is all there is to do."""

from __future__ import annotations

from ._tracing import Tracing

_installed = Tracing()
polylect_before_run = _installed.polylect_before_run
polylect_after_run = _installed.polylect_after_run
polylect_run_failed = _installed.polylect_run_failed
polylect_wrap_model_call = _installed.polylect_wrap_model_call
polylect_wrap_tool_call = _installed.polylect_wrap_tool_call

__all__ = [
    "Tracing",
    "polylect_after_run",
    "polylect_before_run",
    "polylect_run_failed",
    "polylect_wrap_model_call",
    "polylect_wrap_tool_call",
]
