"""One run of a command that may hang: bounded in time and size, its whole group ended, nothing left behind."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

# a table of 64 chips is 20 kB
MOST_BYTES = 1 << 20
_TICK_S, _LAST_TICK_S = 0.05, 0.005
_REAP_S = 0.2
_CHUNK = 1 << 16


@dataclass
class Outcome:
    """What a run left: its words, its exit code (negative = signal), and why it ended early, if it did."""

    stdout: str = ""
    stderr: str = ""
    returncode: int | None = None
    timed_out: bool = False
    stopped: bool = False
    too_long: bool = False


@dataclass
class Child:
    """A started command. `run` must end it; a child that the kernel cannot kill stays `stuck`."""

    process: subprocess.Popen[bytes]
    outcome: Outcome = field(default_factory=Outcome)

    @property
    def stuck(self) -> bool:
        """Whether the process is still there: one that waits in the driver cannot be killed."""
        return self.process.poll() is None

    def run(self, deadline_s: float, stopping: Callable[[], bool]) -> Outcome:
        """Read until it ends, the time is up, the output is too long or `stopping` says so."""
        words: dict[int, bytearray] = {}
        try:
            self._read(words, time.monotonic() + deadline_s, stopping)
        finally:
            self._end()
        texts = [bytes(words[key]).decode("utf-8", "replace") for key in sorted(words)]
        self.outcome.stdout, self.outcome.stderr = texts
        return self.outcome

    def _read(self, words: dict[int, bytearray], end: float, stopping: Callable[[], bool]) -> None:
        with selectors.DefaultSelector() as selector:
            for order, pipe in enumerate((self.process.stdout, self.process.stderr)):
                assert pipe is not None
                os.set_blocking(pipe.fileno(), False)
                selector.register(pipe, selectors.EVENT_READ, order)
                words[order] = bytearray()
            while selector.get_map() or not self._has_ended():
                if stopping():
                    self.outcome.stopped = True
                    return
                left = end - time.monotonic()
                if left <= 0:
                    self.outcome.timed_out = True
                    return
                ready = selector.select(min(left, _TICK_S if selector.get_map() else _LAST_TICK_S))
                for key, _ in ready:
                    if not self._take(key, words[key.data]):
                        selector.unregister(key.fileobj)
                if max(map(len, words.values())) > MOST_BYTES:
                    self.outcome.too_long = True
                    return
                if not ready and self._has_ended():
                    return

    def _take(self, key: selectors.SelectorKey, words: bytearray) -> bool:
        """Append what the pipe holds; False at its end."""
        try:
            piece = os.read(key.fd, _CHUNK)
        except BlockingIOError:
            return True
        words += piece
        return bool(piece)

    def _has_ended(self) -> bool:
        """Whether the process ended, without reaping it: its number still names its group."""
        try:
            return os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:
            return True

    def _end(self) -> None:
        """Kill what is left of the group, reap, close."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.outcome.returncode = self.process.wait(_REAP_S)
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()


def start(argv: Sequence[str]) -> Child:
    """Start a command in a session of its own, speaking English, reading nothing. Raises OSError."""
    process = subprocess.Popen(
        list(argv),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "LANG": "C", "LC_ALL": "C"},
    )
    return Child(process)
