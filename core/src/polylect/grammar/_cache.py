"""Compiled tables on disk: one small JSON file per grammar, named by a digest of everything it was made from.

A file is written beside its place and moved there, so that readers and other writers never see half of one. Whatever
is corrupt, stale or of another engine is compiled again; a folder that cannot be written only costs time.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

import msgspec

from ._source import Source
from ._tables import END, ENGINE, PAYLOADS, Tables, compile_source

VARIABLE = "POLYLECT_CACHE"
"""Environment variable: another folder, or the empty string for no cache."""


def cache_folder() -> Path | None:
    """Where compiled tables are kept, or None when caching is off."""
    chosen = os.environ.get(VARIABLE)
    if chosen is not None:
        return Path(chosen) if chosen else None
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "polylect"
    except RuntimeError:  # no home folder
        return None


def load_tables(source: Source) -> Tables:
    """The compiled tables of a grammar, from the cache if it has them.

    Raises:
        GrammarError: the grammar can't be compiled.
    """
    folder = cache_folder()
    if folder is None:
        return compile_source(source)
    path = folder / f"{Path(source.name).stem.strip('<>')}-{source.key(f'polylect {ENGINE}')}.json"
    found = _read(path)
    if found is not None:
        return found
    tables = compile_source(source)
    _write(path, tables)
    return tables


def _read(path: Path) -> Tables | None:
    try:
        tables = msgspec.json.decode(path.read_bytes(), type=Tables)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    states = len(tables.states)
    known = {*tables.markers, *tables.texts, *(f"@{name}" for name in PAYLOADS), END}
    sound = tables.engine == ENGINE and "start" in tables.starts
    sound = sound and all(-1 <= m.target < states and m.terminal in known for row in tables.states for m in row)
    return tables if sound and all(0 <= start < states for start in tables.starts.values()) else None


def _write(path: Path, tables: Tables) -> None:
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(msgspec.json.encode(tables))
            os.replace(name, path)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(name)
