"""A program in a pseudo terminal, as the benchmarks watch it: what it wrote, when, and what it cost."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Sequence
from pathlib import Path


class PtyProgram:
    """Start `argv` in a terminal of that size; `pump` reads, `close` ends it."""

    def __init__(
        self, argv: Sequence[str], columns: int = 120, rows: int = 40, env: dict[str, str] | None = None
    ) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        environment = {
            **os.environ,
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "LANG": "C.UTF-8",
            **(env or {}),
        }
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            argv, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True, close_fds=True
        )
        os.close(slave)
        self.raw = b""

    def pump(self, seconds: float, until: bytes | None = None) -> float | None:
        """Read for so long, or until the bytes appear; the seconds since the start at which they did."""
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            ready, _, _ = select.select([self.master], [], [], max(0.0, min(0.05, end - time.perf_counter())))
            if ready:
                try:
                    data = os.read(self.master, 65536)
                except OSError:
                    return None
                self.raw += data
                self._reply(data)
                if until is not None and until in self.raw:
                    return time.perf_counter() - self.started
        return None

    def _reply(self, data: bytes) -> None:
        # what a real terminal answers to the questions programs ask at the start
        if b"\x1b[?2026$p" in data:
            os.write(self.master, b"\x1b[?2026;2$y")
        if b"\x1b[6n" in data:
            os.write(self.master, b"\x1b[1;1R")

    def send(self, keys: bytes) -> None:
        """Type."""
        os.write(self.master, keys)

    def cpu_s(self) -> float:
        """CPU seconds so far, children not counted."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def rss_mb(self) -> float:
        """Resident memory of the process itself, MB."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024

    def close(self) -> None:
        """End it, with all it started."""
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(3)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self.master)


def median(values: Sequence[float]) -> float:
    """The middle one."""
    ordered = sorted(values)
    return ordered[len(ordered) // 2]


def three(values: Sequence[float], unit: str = "ms", factor: float = 1000.0) -> str:
    """min / median / max."""
    ordered = sorted(value * factor for value in values)
    return f"{ordered[0]:.0f} / {ordered[len(ordered) // 2]:.0f} / {ordered[-1]:.0f} {unit}"
