"""Where grammar text comes from: a file, a package's resource, or a string; its imports; its changed words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import blake2b
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import NamedTuple

from .._errors import GrammarError, nearest

SHARED = "polylect_grammars"
_IMPORT = re.compile(r"^%import[ \t]+\.?([A-Za-z_]\w*)", re.M)
_DEFINED = re.compile(r"^([A-Z_][A-Z0-9_]*)(?:\.-?\d+)?[ \t]*:", re.M)


class Source(NamedTuple):
    """Grammar text with its name (for messages) and the folder that its imports are looked up in first."""

    name: str
    text: str
    folder: Traversable | None = None

    def imported(self, file: str) -> tuple[str, str]:
        """(path, text) of an imported grammar file: from this grammar's folder, else from the shared grammars.

        Raises:
            OSError: there is no such file (lark then tries its own library).
        """
        for folder in (self.folder, _shared()):
            if folder is not None and folder.joinpath(file).is_file():
                return f"<{file}>", folder.joinpath(file).read_text("utf-8")
        raise OSError(f"no grammar file {file}")

    def place(self, symbol: str) -> str:
        """``file:line`` of a rule or terminal, or of the import that it comes from; the file alone if it has neither.

        What is defined twice has the second place.
        """
        file = re.match(r"_?([A-Za-z]\w*?)__", symbol)  # lark's name for what was imported with something else
        patterns = (
            rf"^(?:%(?:override|extend)[ \t]+)?[?!]{{0,2}}{re.escape(symbol)}[ \t]*[.:{{]",
            rf"^%import[ \t]+\.?{file[1]}\b" if file else rf"^%import\b.*\b{re.escape(symbol)}\b",
            rf"^[^/\n]*\b{re.escape(symbol)}\b",
        )
        for pattern in patterns:
            found = [match.start() for match in re.finditer(pattern, self.text, re.M)]
            if found:
                return f"{self.name}:{self.text.count(chr(10), 0, found[:2][-1]) + 1}"
        return self.name

    def key(self, salt: str) -> str:
        """A digest of the text, of everything it imports, and of ``salt``."""
        digest = blake2b(salt.encode(), digest_size=20)
        seen: set[str] = set()
        todo = [self.text]
        while todo:
            text = todo.pop()
            digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
            for name in sorted(set(_IMPORT.findall(text)) - seen):
                seen.add(name)
                try:
                    todo.append(self.imported(f"{name}.lark")[1])
                except OSError:
                    continue
        return digest.hexdigest()


def _shared() -> Traversable | None:
    try:
        return resources.files(SHARED)
    except ModuleNotFoundError:
        return None


def read_source(grammar: str | Path | Traversable, replace: Mapping[str, str] | None = None) -> Source:
    """The grammar: text (anything with a line break), a path, a package resource, or the name of a shared file.

    ``replace`` gives other definitions to terminals of the file, as lark source: ``{"ACTION_WORD": '"Aktion"i'}``;
    those that the file overrides count as its own.

    Raises:
        GrammarError: no such file, or a replaced terminal that the file does not define.
    """
    if not isinstance(grammar, (str, Path, Traversable)):
        raise GrammarError(f"A grammar is text, a path or a package's resource, not {type(grammar).__name__}.")
    inline = isinstance(grammar, str) and "\n" in grammar
    source = Source("<grammar>", str(grammar)) if inline else _read_file(grammar)
    for terminal, definition in (replace or {}).items():
        line = re.compile(rf"^((?:%override[ \t]+)?){re.escape(terminal)}[ \t]*:.*$", re.M)
        if not line.search(source.text):
            known = _DEFINED.findall(source.text)
            raise GrammarError(f"{source.name} defines no terminal {terminal!r}.{nearest(terminal, known)}")
        new = f"{terminal}: {definition}".replace("\\", r"\\")
        source = source._replace(text=line.sub(rf"\g<1>{new}", source.text, count=1))
    return source


def _read_file(grammar: str | Path | Traversable) -> Source:
    try:
        if not isinstance(grammar, str):
            folder = grammar.parent if isinstance(grammar, Path) else None
            return Source(grammar.name, grammar.read_text("utf-8"), folder)
        path = Path(grammar)
        if path.is_file():
            return Source(path.name, path.read_text("utf-8"), path.parent)
        shared = _shared()
        if shared is not None and shared.joinpath(grammar).is_file():
            return Source(grammar, shared.joinpath(grammar).read_text("utf-8"), shared)
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise GrammarError(f"The grammar {grammar} can't be read: line {line} is no UTF-8.") from error
    except OSError as error:
        raise GrammarError(f"The grammar {grammar} can't be read: {error}.") from error
    raise GrammarError(f"There is no grammar file {grammar!r}: give a path, a resource, or a file of {SHARED}.")
