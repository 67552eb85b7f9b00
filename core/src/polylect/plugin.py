"""What plugins may use of the kernel, besides the names in :mod:`polylect` itself.

A lect over a grammar rarely needs more than :class:`polylect.TextLect`; a tongue of messages, which reads and writes
structures of its own, finds the kernel's words for faults, its JSON rules and its helpers here.
"""

from __future__ import annotations

from ._checks import check_reply, check_steps, checked_sizes, checked_words, only_text
from ._decide import decide
from ._errors import Reason
from ._inputs import takes_keys
from ._json import dumps, is_mended, json_fault
from ._mending import Mender
from ._models import Asked
from ._outputs import says_length
from ._parser import check_policies
from ._policies import MAX_CALL_SIZE, MAX_CALLS, MAX_NESTING
from ._reading import decode, malformed, nesting_beyond, resolve_name, too_deep, unknown_tool
from ._remote import RemoteModel
from ._remote_run import Reader, RemoteRequest
from ._render import inline
from ._schemas import referred
from ._scratchpad import observation_text, turns_of
from ._stopping import Stopper, StreamStopper
from ._text_lect import Member, difference
from ._tools import Tools, schema_types
from ._typed import entries, fitted, kind_of, kinds, load_json, member, scalar, typed, untyped
from ._typed import only_text as takes_only_text
from ._values import Part, Role, Span, Status
from .grammar import Grammar
from .grammar._decoder import DECODER
from .grammar._draft import MISSING
from .grammar._escapes import unescape_python
from .grammar._strings import unescape as unescape_json

__all__ = [
    "DECODER",
    "MAX_CALLS",
    "MAX_CALL_SIZE",
    "MAX_NESTING",
    "MISSING",
    "Asked",
    "Grammar",
    "Member",
    "Mender",
    "Part",
    "Reader",
    "Reason",
    "RemoteModel",
    "RemoteRequest",
    "Role",
    "Span",
    "Status",
    "Stopper",
    "StreamStopper",
    "Tools",
    "check_policies",
    "check_reply",
    "check_steps",
    "checked_sizes",
    "checked_words",
    "decide",
    "decode",
    "difference",
    "dumps",
    "entries",
    "fitted",
    "inline",
    "is_mended",
    "json_fault",
    "kind_of",
    "kinds",
    "load_json",
    "malformed",
    "member",
    "nesting_beyond",
    "observation_text",
    "only_text",
    "referred",
    "resolve_name",
    "says_length",
    "scalar",
    "schema_types",
    "takes_keys",
    "takes_only_text",
    "too_deep",
    "turns_of",
    "typed",
    "unescape_json",
    "unescape_python",
    "unknown_tool",
    "untyped",
]
