"""The turns and walks of ``test_fuzz.py`` in xgrammar's own matcher, which needs torch: no test of the suite.

In an environment with polylect, its plugins, the packages of the tests, ``xgrammar`` and ``mistral-common``::

    python -m tests.constraint.in_xgrammar

It prints a line for each lect and target, and ends in an error if something is accepted that the parser refuses, or if
something is refused that is no other spelling of what is accepted, though the constraint says that it is exact.
"""

from __future__ import annotations

import importlib
import random
import sys
from typing import Any

import polylect

from .engines import encode, tekken, tekken_tokens
from .test_fuzz import BOX, LECTS, STEPS, WALKS, corpus, fault, usual

TARGETS = ("xgrammar", "structural_tag")


class Engine:
    """xgrammar over the 131,072 tokens of a real model."""

    def __init__(self) -> None:
        self._xgrammar: Any = importlib.import_module("xgrammar")
        self._numpy: Any = importlib.import_module("numpy")
        self.eos = tekken().eos_id
        self._special = tekken().num_special_tokens
        self._tokens = [b""] * self._special + tekken_tokens()[self._special :]
        info = self._xgrammar.TokenizerInfo(
            self._tokens,
            vocab_type=self._xgrammar.VocabType.RAW,
            vocab_size=len(self._tokens),
            stop_token_ids=[self.eos],
        )
        self._compiler = self._xgrammar.GrammarCompiler(info, max_threads=1)
        self._mask = self._xgrammar.allocate_token_bitmask(1, len(self._tokens))

    def matcher(self, constraint: Any) -> Any:
        """The matcher of a constraint for one of the targets."""
        tag = constraint.target == "structural_tag"
        compile_it = self._compiler.compile_structural_tag if tag else self._compiler.compile_grammar
        return self._xgrammar.GrammarMatcher(compile_it(constraint.text))

    def accepts(self, matcher: Any, text: str) -> bool:
        """Whether the text is one of the constraint's."""
        matcher.reset()
        return all(map(matcher.accept_token, encode(text))) and bool(matcher.accept_token(self.eos))

    def walk(self, matcher: Any, rng: random.Random) -> str | None:
        """Any allowed token, again and again; None where the text does not end."""
        matcher.reset()
        out = b""
        for _ in range(STEPS):
            matcher.fill_next_token_bitmask(self._mask)
            bits = self._numpy.unpackbits(self._mask.numpy().view(self._numpy.uint8), bitorder="little")
            allowed = [int(token) for token in self._numpy.flatnonzero(bits[: len(self._tokens)])]
            others = [token for token in allowed if token >= self._special]
            if self.eos in allowed and (not others or rng.random() < 0.2):
                return out.decode()
            if not others:
                return None
            token = rng.choice(others)
            assert matcher.accept_token(token)
            out += self._tokens[token]
        return None


def main() -> int:
    """Run all lects and targets; 1 if something is accepted too much, or a walk does not end."""
    engine, failed = Engine(), False
    for name in LECTS:
        lect: Any = polylect.lect(name)
        for target in TARGETS:
            made = lect.constraint(BOX, target=target)
            matcher = engine.matcher(made)
            accepted, refused = list[str](), list[str]()
            for text, wrong in corpus(name):
                if engine.accepts(matcher, text):
                    accepted.append(wrong)
                elif not wrong and made.report.exactness == "exact":
                    written = usual(lect, text)
                    if written is not None and not engine.accepts(matcher, written):
                        refused.append(written)
            short = engine.matcher(lect.constraint(BOX, target=target, max_chars=12, max_calls=2))
            walks = [engine.walk(short, random.Random(seed)) for seed in range(WALKS)]
            ended = [text for text in walks if text is not None]
            bad = [*filter(None, accepted), *(text for text in ended if fault(lect, text))]
            failed = failed or bool(bad or refused) or len(ended) < WALKS
            counts = f"{len(accepted)} accepted, {len(ended)} walks ended"
            print(f"{name} {target}: {counts}, too much: {bad[:3]}, too little: {refused[:3]}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
