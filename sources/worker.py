"""A child process that runs functions by their import name, so that the screen never waits and never imports pandas.

One job runs at a time, in the order asked. Answers come to the callback from a thread of this module.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, Union

import npuscope
from npuscope.parsers.say import Problem, say
from npuscope.sources.worker_frames import ArrayStore, VanishedError, read_frame, write_frame

Ticket = Union[int, str]
STOP_S = 0.5


@dataclass(frozen=True)
class Answer:
    """What came of a job: its value, or a problem; `progress` (0..1) alone while it runs."""

    ticket: Ticket
    value: Any = None
    problem: Problem | None = None
    progress: float | None = None


@dataclass(frozen=True)
class _Job:
    ticket: Ticket
    target: str
    args: tuple[Any, ...]
    again: bool = False


class Worker:
    """Runs jobs in a child that is started with the first of them.

    `callback` gets every `Answer` in a thread of the worker; it must not raise. A cancelled job is never answered.
    """

    def __init__(self, callback: Callable[[Answer], None]) -> None:
        self._callback = callback
        self._lock = threading.RLock()
        self._child: subprocess.Popen[bytes] | None = None
        self._reader: threading.Thread | None = None
        self._running: _Job | None = None
        self._waiting: list[_Job] = []
        self._folder = ""
        self._stopped = False

    def ask(self, ticket: Ticket, target: str, *args: Any) -> None:
        """Queue `package.module:function`(*args); it gets `progress=` too when it has such a parameter."""
        with self._lock:
            if self._stopped:
                return
            self._waiting.append(_Job(ticket, target, args))
            self._next()

    def warm_up(self, module: str) -> None:
        """Import a module in the child ahead of need."""
        with self._lock:
            if not self._stopped:
                with contextlib.suppress(OSError):  # the first job will tell
                    self._send(("import", module))

    def cancel(self, ticket: Ticket) -> None:
        """Drop a job. If it is running its child is killed; the jobs that wait go to a new one."""
        with self._lock:
            self._waiting = [job for job in self._waiting if job.ticket != ticket]
            if self._running is not None and self._running.ticket == ticket:
                self._end_child()
                self._next()

    def stop(self) -> None:
        """Kill and reap the child and remove what it left on disk; no answer comes after this."""
        with self._lock:
            self._stopped = True
            self._waiting.clear()
            self._end_child()
            reader, self._reader = self._reader, None
        if reader is not None and reader is not threading.current_thread():
            reader.join(STOP_S)
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _next(self) -> None:
        if self._running is None and self._waiting:
            job = self._running = self._waiting.pop(0)
            try:
                self._send(("run", job.ticket, job.target, job.args))
            except OSError as error:  # no process or no folder to be had
                self._running = None
                self._callback(Answer(job.ticket, problem=_internal(str(error))))

    def _send(self, message: tuple[Any, ...]) -> None:
        child = self._child if self._child is not None and self._child.poll() is None else self._start()
        assert child.stdin is not None
        with contextlib.suppress(OSError):  # a child that died is noticed by its reader
            write_frame(child.stdin, ArrayStore(self._folder), message)

    def _start(self) -> subprocess.Popen[bytes]:
        if not self._folder:
            self._folder = tempfile.mkdtemp(prefix="npuscope-")
            weakref.finalize(self, shutil.rmtree, self._folder, True)
        package = str(Path(npuscope.__file__).parents[1])
        paths = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
        self._child = subprocess.Popen(
            [sys.executable, "-m", "npuscope.sources.worker_child", self._folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": paths},
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, args=(self._child,), daemon=True, name="npuscope-worker")
        self._reader.start()
        return self._child

    def _end_child(self) -> None:
        child, self._child, self._running = self._child, None, None
        if child is None:
            return
        child.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(STOP_S)
        if child.stdin is not None:
            with contextlib.suppress(OSError):
                child.stdin.close()
        for left in Path(self._folder).glob("*/"):  # what the job had unpacked; files are arrays that are in use
            shutil.rmtree(left, ignore_errors=True)

    def _read(self, child: subprocess.Popen[bytes]) -> None:
        assert child.stdout is not None
        store = ArrayStore(self._folder)
        while self._take(child, self._next_frame(child.stdout, store)):  # no name holds an answer while one is awaited
            pass
        child.stdout.close()
        self._ended(child)

    def _next_frame(self, stdout: IO[bytes], store: ArrayStore) -> Any:
        try:
            return read_frame(stdout, store)
        except VanishedError as error:
            return ("vanished", None, str(error))

    def _take(self, child: subprocess.Popen[bytes], frame: tuple[Any, ...] | None) -> bool:
        if frame is None:
            return False
        kind, ticket, *rest = frame
        if kind == "vanished":
            self._vanished(child, rest[0])
            return True
        with self._lock:
            if child is not self._child or self._running is None or self._running.ticket != ticket:
                return True
            if kind == "answer":
                self._running = None
                self._next()
        if kind == "progress":
            self._callback(Answer(ticket, progress=rest[0]))
        else:
            self._callback(Answer(ticket, rest[0], rest[1]))
        return True

    def _vanished(self, child: subprocess.Popen[bytes], what: str) -> None:
        """Somebody emptied the cache between the answer and its arrival: once more, then it is read anew."""
        with self._lock:
            job = self._running
            if child is not self._child or job is None:
                return
            self._running = None
            if not job.again:
                self._waiting.insert(0, replace(job, again=True))
            self._next()
        if job.again:
            self._callback(Answer(job.ticket, problem=_internal(what)))

    def _ended(self, child: subprocess.Popen[bytes]) -> None:
        """The child's pipe closed. If that was not asked for, its job failed and the others go to a new child."""
        with self._lock:
            if child is not self._child:
                return
            code = child.wait()
            lost, self._running, self._child = self._running, None, None
            self._next()
        if lost is not None:
            self._callback(Answer(lost.ticket, problem=Problem("internal", say("profiles.problem.worker", code=code))))


def _internal(what: str) -> Problem:
    return Problem("internal", say("profiles.problem.internal", what=what))
