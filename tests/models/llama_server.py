"""llama.cpp's own server with a small model. Run as a program, it says where it listens, and ends with its input."""

from __future__ import annotations

import subprocess
import sys
from types import TracebackType
from typing import Self


class LlamaServer:
    """The program below in a process of its own; ``url`` is where it listens."""

    def __enter__(self) -> Self:
        command = [sys.executable, __file__]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        assert self.url.startswith("http://127.0.0.1:"), self.url
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate(timeout=60)


def main() -> None:
    """Listen on a free port of this machine's own address."""
    import xllamacpp

    from polylect_local._template import TEMPLATE, model_file

    settings = xllamacpp.CommonParams()
    settings.model.path = str(model_file(None)[0])
    settings.chat_template = TEMPLATE
    settings.use_jinja = True
    settings.verbosity = -1
    settings.n_ctx, settings.n_parallel, settings.cpuparams.n_threads = 4096, 1, 1
    settings.hostnames, settings.port = ["127.0.0.1"], 0
    server = xllamacpp.Server(settings)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
