"""A tree as a structural tag, the JSON document that xgrammar reads, and vLLM and SGLang with it.

All of it is one grammar. The document has words of its own for texts, JSON and loops, but they say less: its free text
begins with no delimiter and is kept from whole words only, its JSON passes over what it does not know in a schema, and
older releases refuse its loops.
"""

from __future__ import annotations

from ._gbnf import xgrammar
from ._printed import Options, Printed
from ._tree import Tree


def structural_tag(tree: Tree, options: Options) -> Printed:
    """The tree as a structural tag; special tokens are read by their text, so ``options`` change nothing."""
    printed = xgrammar(tree, options)
    return printed._replace(text={"type": "structural_tag", "format": {"type": "grammar", "grammar": printed.text}})


__all__ = ["structural_tag"]
