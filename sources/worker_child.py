"""The other end of worker.py: a process that runs the jobs it is sent and ends when its parent does."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import os
import queue
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from typing import IO, Any

from npuscope.parsers.say import ParseError, Problem, say
from npuscope.sources.worker_frames import ArrayStore, read_frame, write_frame

PROGRESS_EVERY_S = 0.05


def serve(folder: str) -> None:
    """Answer jobs from stdin until it ends; big arrays of the answers are written below `folder`."""
    answers = os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 a device, not a path; prints of a job must not meet the frames
        os.dup2(nowhere.fileno(), 1)
    jobs: queue.SimpleQueue[tuple[Any, ...]] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(sys.stdin.buffer, jobs, folder), daemon=True).start()
    store = ArrayStore(folder)
    tempfile.tempdir = folder  # what a job unpacks goes with the child, however that ends
    while True:
        kind, *rest = jobs.get()
        if kind == "import":
            with contextlib.suppress(ImportError):
                importlib.import_module(rest[0])
        else:
            _run(answers, store, *rest)


def _receive(source: IO[bytes], jobs: queue.SimpleQueue[tuple[Any, ...]], folder: str) -> None:
    """Runs beside the jobs so that the end of the parent ends even a busy child."""
    while True:
        frame = read_frame(source, ArrayStore(folder))
        if frame is None:
            shutil.rmtree(folder, ignore_errors=True)
            os._exit(0)
        jobs.put(frame)


def _run(answers: IO[bytes], store: ArrayStore, ticket: Any, target: str, args: tuple[Any, ...]) -> None:
    value, problem = None, None
    try:
        function = _function(target)
        extra = {"progress": _reporter(answers, store, ticket)} if _takes_progress(function) else {}
        value = function(*args, **extra)
        write_frame(answers, store, ("answer", ticket, value, None))
        return
    except ParseError as error:
        problem = error.problem
    except BrokenPipeError:
        os._exit(0)
    except Exception as error:  # the one place where a job's own fault becomes a sentence instead of the end
        problem = Problem("internal", say("profiles.problem.internal", what=f"{type(error).__name__}: {error}"))
    write_frame(answers, store, ("answer", ticket, None, problem))


def _function(target: str) -> Callable[..., Any]:
    module, _, name = target.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function


def _takes_progress(function: Callable[..., Any]) -> bool:
    try:
        return "progress" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


def _reporter(answers: IO[bytes], store: ArrayStore, ticket: Any) -> Callable[[float], None]:
    last = [0.0]

    def report(part: float) -> None:
        """Tell how far the job is, not too often, and when it is through."""
        now = time.monotonic()
        if now - last[0] >= PROGRESS_EVERY_S or part >= 1.0:
            last[0] = now
            write_frame(answers, store, ("progress", ticket, float(part)))

    return report


if __name__ == "__main__":
    serve(sys.argv[1])
