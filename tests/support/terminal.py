"""The installed program in a pseudo terminal, and what its screen shows."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence

import pyte


class Terminal:
    """Use as a context manager. `wait_for` reads until the screen shows a pattern, or fails with what it shows."""

    def __init__(self, argv: Sequence[str], env: Mapping[str, str], columns: int = 120, rows: int = 40) -> None:
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.modes_before = termios.tcgetattr(self.slave)
        self.raw = b""
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self.process = subprocess.Popen(
            argv, stdin=self.slave, stdout=self.slave, stderr=self.slave, env=dict(env), start_new_session=True
        )

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            with contextlib.suppress(OSError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        for handle in (self.master, self.slave):
            with contextlib.suppress(OSError):  # the line was dropped
                os.close(handle)

    @property
    def text(self) -> str:
        """The screen, line by line."""
        return "\n".join(line.rstrip() for line in self._screen.display)

    def send(self, keys: str) -> None:
        """Type."""
        os.write(self.master, keys.encode())

    def drop(self) -> None:
        """Close the terminal under the program, and tell it in the way that a kernel does."""
        for handle in (self.master, self.slave):
            os.close(handle)
        for number in (signal.SIGHUP, signal.SIGCONT):
            os.killpg(self.process.pid, number)

    def wait_for(self, pattern: str, seconds: float = 30.0) -> str:
        """The screen once it shows the pattern."""
        end = time.monotonic() + seconds
        while not re.search(pattern, self.text):
            assert time.monotonic() < end, f"{pattern!r} is not on the screen:\n{self.text}"
            self._read(0.1)
        return self.text

    def wait_for_end(self, seconds: float = 10.0) -> int:
        """The exit code."""
        end = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < end, f"it does not end:\n{self.text}"
            self._read(0.05)
        self._read(0.1)
        return self.process.returncode

    def modes_restored(self) -> bool:
        """Whether the terminal's modes are what they were before."""
        return termios.tcgetattr(self.slave)[:4] == self.modes_before[:4]

    def _read(self, seconds: float) -> None:
        ready, _, _ = select.select([self.master], [], [], seconds)
        if not ready:
            return
        data = os.read(self.master, 65536)
        self.raw += data
        # pyte does not know these modes and would print their parameters
        self._stream.feed(re.sub(rb"\x1b\[[<>=?][0-9;]*[a-zA-Z$]p?|\x1b\[[0-9;]*\$p|\x1bP.*?\x1b\\", b"", data))
        if b"\x1b[?2026$p" in data:
            os.write(self.master, b"\x1b[?2026;2$y")
