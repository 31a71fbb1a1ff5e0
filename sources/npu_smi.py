"""Live readings from npu-smi: one call at a time, with a deadline, and every failure a named problem.

The tool must never run twice at once (its vendor says so), takes from 0.1 to more than 10 seconds, and may hang.
"""

from __future__ import annotations

import atexit
import errno
import os
import shlex
import shutil
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from npuscope.parsers.npu_smi.info import InfoTable, parse_info
from npuscope.parsers.readings import Reading, SourceInfo
from npuscope.parsers.say import Problem, Say, say
from npuscope.sources import child
from npuscope.sources.child import Child, Outcome
from npuscope.sources.host import HostWatch
from npuscope.sources.source import Callback

# slowest call seen in public reports while other agents poll the driver: just over 10 s
DEADLINE_S = 10.0
# after these the next try would only cost: the tool is missing, or a card is wedged
PATIENT_S = 30.0
SETTLE_S = 0.15
# where drivers put the tool, for shells whose PATH lacks it
FOLDERS: list[str] = ["/usr/local/sbin", "/usr/local/bin", "/usr/local/Ascend/driver/tools"]
_STOP_S = 0.3


def read_once(command: str, deadline_s: float = DEADLINE_S, settle_s: float = SETTLE_S) -> Reading:
    """One reading of `command info`, waited for. Fails with a problem in the reading, never with an exception.

    `settle_s` is waited when the call was too short to measure CPU use beside it.
    """
    poller = Poller(command, deadline_s)
    try:
        return poller.read(lambda: False, settle_s)
    finally:
        poller.end()


class NpuSmiSource:
    """Reads `command info` every `interval_s` seconds in a thread of its own; a late call skips ticks."""

    def __init__(self, command: str, interval_s: float, deadline_s: float = DEADLINE_S) -> None:
        self._poller = Poller(command, deadline_s)
        self.interval_s = interval_s
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def lead(self) -> list[Reading]:
        """npu-smi has no history."""
        return []

    def start(self, callback: Callback) -> None:
        """Begin reading; `callback` gets every reading, in the source's thread."""
        self._thread = threading.Thread(target=self._run, args=(callback,), name="npu-smi", daemon=True)
        atexit.register(self.stop)
        self._thread.start()

    def stop(self) -> None:
        """End the call that runs, if any, and the thread. Harmless when called twice."""
        atexit.unregister(self.stop)
        self._stopping.set()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(_STOP_S)

    def _run(self, callback: Callback) -> None:
        tick = before = time.monotonic()
        first = True
        while not self._stopping.is_set():
            started = time.monotonic()
            reading = self._poller.read(self._stopping.is_set)
            if self._stopping.is_set():
                break
            callback(reading if first else replace(reading, period_s=started - before))
            first, before = False, started
            tick = next_tick(tick, self._pause(reading), time.monotonic())
            self._stopping.wait(tick - time.monotonic())
        self._poller.end()

    def _pause(self, reading: Reading) -> float:
        codes = {problem.code for problem in reading.problems}
        return max(self.interval_s, PATIENT_S) if codes & {"not-found", "timeout"} else self.interval_s


def next_tick(tick: float, interval_s: float, now: float) -> float:
    """The first tick of the grid that is still ahead: late ones are skipped, not made up for."""
    return tick + interval_s * max(1, -(-(now - tick) // interval_s))


class Poller:
    """Makes readings one by one; remembers what needs two looks, and a child that would not die."""

    def __init__(self, command: str, deadline_s: float) -> None:
        self._command = command
        self._deadline_s = deadline_s
        self._host = HostWatch()
        self._host.host()
        self._stuck: Child | None = None

    def read(self, stopping: Callable[[], bool], settle_s: float = 0.0) -> Reading:
        """One reading; empty when `stopping` turns true meanwhile."""
        taken_at, started = time.time(), time.monotonic()
        table = self._table(stopping)
        reading = Reading(
            taken_at=taken_at,
            elapsed_s=time.monotonic() - started,
            source=SourceInfo(
                "npu-smi", f"{self._command} info", table.tool_version, table.driver_version, bool(table.chips)
            ),
            chips=table.chips,
            problems=table.problems,
            processes_known=table.processes_known,
        )
        processes, local = self._host.look(table.processes)
        host = self._host.host()
        if settle_s and not stopping() and (host.cpu_pct is None or self._host.needs_second_look()):
            time.sleep(settle_s)
            processes, local = self._host.look(table.processes)
            host = self._host.host()
        return replace(reading, processes=processes, local=local, host=host)

    def end(self) -> None:
        """Forget a stuck child; the kernel ends it when the driver lets go."""
        self._stuck = None

    def _table(self, stopping: Callable[[], bool]) -> InfoTable:
        if self._stuck is not None and self._stuck.stuck:
            return InfoTable(problems=(_timeout(self._deadline_s, "smi.stuck"),))
        self._stuck = None
        try:
            argv = command_line(self._command)
        except ValueError as error:
            return InfoTable(problems=(_not_startable(self._command, "not-found", str(error)),))
        if argv is None:
            program = shlex.split(self._command)[:1] or [self._command]
            return InfoTable(problems=(_missing(program[0]),))
        try:
            running = child.start(argv)
        except OSError as error:
            return InfoTable(problems=(_refused(argv[0], error),))
        outcome = running.run(self._deadline_s, stopping)
        self._stuck = running if running.stuck else None
        return table_of(outcome, self._deadline_s)


def command_line(command: str) -> Sequence[str] | None:
    """The words to run, the program looked up in PATH and FOLDERS; None when it is nowhere.

    Raises ValueError when a quotation mark is not closed.
    """
    words = shlex.split(command)
    if not words:
        return None
    folders = os.pathsep.join([os.environ.get("PATH", os.defpath), *FOLDERS])
    # a tool that is there but may not be run is found too: starting it says "permission denied"
    program = shutil.which(words[0], path=folders) or shutil.which(words[0], os.F_OK, folders)
    return None if program is None else [program, *words[1:], "info"]


def table_of(outcome: Outcome, deadline_s: float) -> InfoTable:
    """What a run's words say, with what its end adds to that."""
    if outcome.stopped:
        return InfoTable()
    if outcome.timed_out:
        table = parse_info(outcome.stdout, 0, outcome.stderr) if outcome.stdout.strip() else InfoTable()
        return replace(table, problems=(_timeout(deadline_s, "smi.timeout"), *table.problems), processes_known=False)
    returncode = 0 if outcome.too_long else outcome.returncode or 0
    table = parse_info(outcome.stdout, returncode, outcome.stderr)
    if outcome.too_long:
        problem = Problem("unknown-layout", say("smi.too-long", bytes=child.MOST_BYTES), Say("smi.hint-no-table"))
        return replace(table, problems=(problem, *table.problems))
    return table


def _timeout(deadline_s: float, key: str) -> Problem:
    return Problem("timeout", say(key, us=deadline_s * 1e6), Say("smi.hint-timeout"))


def _missing(program: str) -> Problem:
    return Problem("not-found", say("smi.not-found", program=program), Say("smi.hint-not-found"))


def _not_startable(program: str, code: str, reason: str) -> Problem:
    hint = "smi.hint-permission" if code == "permission" else "smi.hint-not-found"
    return Problem(code, say("smi.not-startable", program=program, reason=reason), Say(hint))


def _refused(program: str, error: OSError) -> Problem:
    code = "permission" if error.errno in (errno.EACCES, errno.EPERM) else "not-found"
    return _not_startable(program, code, error.strerror or str(error))
