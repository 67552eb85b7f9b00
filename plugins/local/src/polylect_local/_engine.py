"""llama.cpp in this process: loaded, asked, stopped, let go."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import queue
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from polylect import ModelError

Fields: TypeAlias = dict[str, Any]
SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Engine:
    """One loaded model. Requests wait for each other."""

    def __init__(self, path: Path, settings: Mapping[str, Any], template: str | None) -> None:
        self._path, self._settings, self._template = path, settings, template
        self._lock = threading.Lock()
        self._server: Any = None
        self._replies: set[Reply] = set()

    def server(self) -> Any:
        """The loaded model.

        Raises:
            ModelError: it can't be loaded.
        """
        with self._lock:
            if self._server is None:
                try:
                    self._server = self._loaded()
                except (ImportError, RuntimeError, OSError) as error:
                    told = f"{type(error).__name__}: {error}"
                    raise ModelError(f"llama.cpp can't load {self._path}: {told}") from error
            return self._server

    def _loaded(self) -> Any:
        import xllamacpp

        settings = xllamacpp.CommonParams()
        settings.model.path = str(self._path)
        settings.verbosity = -1
        settings.use_jinja = True
        settings.n_parallel = 1
        if self._template is not None:
            settings.chat_template = self._template
        for name, value in self._settings.items():
            target = settings.cpuparams if name == "n_threads" else settings
            if not hasattr(target, name):
                raise ModelError(f"llama.cpp has no setting {name!r}.")
            try:
                setattr(target, name, value)
            except (TypeError, ValueError, OverflowError) as error:
                raise ModelError(f"llama.cpp does not take {name}={value!r:.80}: {error}") from error
        # llama.cpp's server comes with a socket: nobody shall find it
        folder = tempfile.mkdtemp(prefix="polylect-")
        try:
            if os.name != "nt":
                settings.hostnames = [str(Path(folder, "llama.sock"))]
            with _own_signals():
                return xllamacpp.Server(settings)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def ask(self, chat: bool, body: Fields, deadline: float | None) -> Reply:
        """A reply on its way: as a chat, or as the continuation of a text."""
        server = self.server()
        reply = Reply(server.handle_chat_completions if chat else server.handle_completions, body, deadline)
        with self._lock:
            self._replies = {x for x in self._replies if x.running} | {reply}
        return reply

    def close(self) -> None:
        """End what is on its way, and let the model go."""
        with self._lock:
            replies, self._replies = self._replies, set()
            server, self._server = self._server, None
        for reply in replies:
            reply.stop()
        for reply in replies:
            reply.join()
        del server


class Reply:
    """A reply that llama.cpp writes in a thread, chunk by chunk."""

    def __init__(self, handler: Callable[..., Any], body: Fields, deadline: float | None) -> None:
        self._queue: queue.SimpleQueue[bytes | BaseException | None] = queue.SimpleQueue()
        self._stopped = False
        self._deadline = deadline
        data = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        self._thread = threading.Thread(target=self._write, args=(handler, data), name="polylect-local")
        self._thread.start()

    def _write(self, handler: Callable[..., Any], data: bytes) -> None:
        try:
            handler(data, self._take)
        except BaseException as error:  # whatever it is, the reader is told
            self._queue.put(error)
        finally:
            self._queue.put(None)

    def _take(self, chunk: bytes) -> bool:
        """Called with each chunk; True ends the reply."""
        self._queue.put(chunk)
        return self._stopped

    @property
    def running(self) -> bool:
        """Whether it is still being written."""
        return self._thread.is_alive()

    def next(self) -> Fields | None:
        """The next chunk; None when the reply is over.

        Raises:
            ModelError: llama.cpp refused, or failed.
            TimeoutError: the time is up.
        """
        left = None if self._deadline is None else self._deadline - time.monotonic()
        if left is not None and left <= 0:
            raise TimeoutError
        try:
            found = self._queue.get(timeout=left)
        except queue.Empty:
            raise TimeoutError from None
        if isinstance(found, BaseException):
            raise ModelError(f"llama.cpp failed: {found}") from found
        if found is None:
            return None
        data: Fields = json.loads(found.decode("utf-8", "replace"))
        return data

    def stop(self) -> None:
        """No more is wanted: it ends with the next token."""
        self._stopped = True

    def join(self) -> None:
        """Wait for its end."""
        self._thread.join()


@contextlib.contextmanager
def _own_signals() -> Iterator[None]:
    """Keep Python's handlers: llama.cpp's server puts its own in place, and Ctrl-C would end the model in silence."""
    get, put = ctypes.pythonapi.PyOS_getsig, ctypes.pythonapi.PyOS_setsig
    get.argtypes, get.restype = [ctypes.c_int], ctypes.c_void_p
    put.argtypes, put.restype = [ctypes.c_int, ctypes.c_void_p], ctypes.c_void_p
    before = [get(number) for number in SIGNALS]
    try:
        yield
    finally:
        for number, handler in zip(SIGNALS, before, strict=True):
            put(number, handler)
