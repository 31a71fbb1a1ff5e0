"""A command the person asked for, run beside the screens: its last line, its end, and its own end at ours."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

SAY_EVERY_S = 0.2
GRACE_S = 1.0
_CODES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
MSPROF = "msprof"
_MSPROF_PLACES = ("tools/profiler/bin/msprof", "bin/msprof")
_HOME_VARIABLES = ("ASCEND_TOOLKIT_HOME", "ASCEND_HOME_PATH")
_HOMES = ("/usr/local/Ascend/ascend-toolkit/latest", "/usr/local/Ascend/cann", "/usr/local/Ascend/latest")


def find_program(name: str, environ: Mapping[str, str], homes: tuple[str, ...] = _HOMES) -> str | None:
    """Where a program is: on PATH, or for msprof in the CANN toolkit; None when it is not on this box."""
    found = shutil.which(name, path=environ.get("PATH"))
    if found is not None or name != MSPROF:
        return found
    for home in (*(environ[variable] for variable in _HOME_VARIABLES if environ.get(variable)), *homes):
        for place in _MSPROF_PLACES:
            path = Path(home) / place
            if path.is_file() and os.access(path, os.X_OK):
                return str(path)
    return None


def words_of(command: str, environ: Mapping[str, str]) -> list[str] | None:
    """The command's words with its program's place; None when the program is not on this box."""
    words = shlex.split(command)
    program = find_program(words[0], environ) if words else None
    return None if program is None else [program, *words[1:]]


class Command:
    """One run of one command, in a session of its own. Calls back from its own thread.

    `on_line(text)` with the last line of its output, at most a few times a second; then `on_end(code, text)` once, with
    its exit code (None when it could not be started, negative for a signal) and its last line.
    """

    def __init__(
        self, words: list[str], on_line: Callable[[str], object], on_end: Callable[[int | None, str], object]
    ) -> None:
        self.words = words
        self._on_line = on_line
        self._on_end = on_end
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="npuscope-command", daemon=True)

    def start(self) -> None:
        """Begin; returns at once."""
        try:
            self._process = subprocess.Popen(
                self.words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            self._on_end(None, error.strerror or str(error))
            return
        self._thread.start()

    def stop(self) -> None:
        """End it with all it has started; returns when it is gone, after GRACE_S at the latest. Nothing calls back."""
        self._stopped = True
        process = self._process
        if process is None or process.poll() is not None:
            return
        self._signal(process, signal.SIGTERM)
        try:
            process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            self._signal(process, signal.SIGKILL)
            process.wait()

    @staticmethod
    def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)

    def _run(self) -> None:
        process = self._process
        assert process is not None and process.stdout is not None
        last, said, said_at = "", "", 0.0
        pending = b""
        for chunk in iter(lambda: os.read(process.stdout.fileno(), 65536), b""):  # type: ignore[union-attr]
            pending = (pending + chunk)[-65536:]
            last = last_line(pending) or last
            now = time.monotonic()
            if last != said and now - said_at >= SAY_EVERY_S and not self._stopped:
                said, said_at = last, now
                self._on_line(last)
        process.stdout.close()
        code = process.wait()
        if not self._stopped:
            self._on_end(code, last)


def last_line(output: bytes) -> str:
    """The last line with anything on it: progress bars write their lines over each other with carriage returns."""
    text = _CODES.sub("", output.decode("utf-8", errors="replace"))
    return next((line.strip() for line in reversed(re.split(r"[\r\n]+", text)) if line.strip()), "")
