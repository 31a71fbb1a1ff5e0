"""What the Profiles screen has done elsewhere: folders counted, paths looked at, a command in the background.

Threads only post; what they found is taken in the UI thread.
"""

from __future__ import annotations

import os
import shlex
import threading
import time
from collections.abc import Callable
from pathlib import Path

from textual.message import Message

from npuscope.parsers.archives import inside
from npuscope.parsers.discovery.runs import list_runs, look_at
from npuscope.parsers.profile import Run
from npuscope.parsers.say import Say, say
from npuscope.sources.command import Command, find_program, words_of
from npuscope.sources.inside import Inside, look_inside
from npuscope.tui.runs.view import READABLE
from npuscope.tui.runs.words import Place
from npuscope.tui.text import t

OWN_PROGRAM = "YOUR_PROGRAM"  # stands in commands that collect anew


class Asked(Message):
    """What a typed path is: a run that can be read, a folder to watch, or neither, with the reason."""

    def __init__(self, run: Run | None = None, folder: str = "", complaint: Say | None = None) -> None:
        super().__init__()
        self.run = run
        self.folder = folder
        self.complaint = complaint


class Counted(Message):
    """A run's folder was counted."""

    def __init__(self, run: Run, inside: Inside) -> None:
        super().__init__()
        self.run = run
        self.inside = inside


class CommandSaid(Message):
    """The command wrote a line."""

    def __init__(self, line: str) -> None:
        super().__init__()
        self.line = line

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, CommandSaid)


class CommandEnded(Message):
    """The command is over: its exit code (None: it could not be started), and its last line."""

    def __init__(self, code: int | None, line: str) -> None:
        super().__init__()
        self.code = code
        self.line = line


class RunDesk:
    """At most one folder is counted and one command runs at a time."""

    def __init__(self, post: Callable[[Message], object]) -> None:
        self._post = post
        self._insides: dict[str, tuple[str, Inside]] = {}
        self._wanted: Run | None = None
        self._counting = False
        self._guard = threading.Lock()
        self._programs: dict[str, str | None] = {}
        self._command: Command | None = None
        self._command_of: Run | None = None
        self._since = 0.0
        self._line = ""

    # ---- what the pane may say

    def place(self, run: Run) -> Place:
        """What is known beyond the run; its folder is counted when nothing else says what is in it."""
        known = self._insides.get(run.path)
        inside = known[1] if known is not None and known[0] == run.signature else None
        if inside is None and not run.files and run.state not in ("unreadable", *READABLE):
            self._count(run)
        program = program_of(run)
        running = ""
        if self._command_of is not None and self._command_of.path == run.path:
            since = time.strftime("%H:%M:%S", time.localtime(self._since))
            running = t("profiles_screen.running", since=since, line=self._line)
        return Place(inside, program, bool(program) and self._found(program) is not None, running)

    def _found(self, program: str) -> str | None:
        if program not in self._programs:
            self._programs[program] = find_program(program, os.environ)
        return self._programs[program]

    # ---- counting

    def _count(self, run: Run) -> None:
        with self._guard:
            self._wanted = run
            if self._counting:
                return
            self._counting = True
        threading.Thread(target=self._count_all, name="npuscope-inside", daemon=True).start()

    def _count_all(self) -> None:
        while True:
            with self._guard:
                run, self._wanted = self._wanted, None
                if run is None:
                    self._counting = False
                    return
            self._post(Counted(run, look_inside(Path(run.path))))

    def counted(self, message: Counted) -> None:
        """Keep what was counted."""
        self._insides[message.run.path] = (message.run.signature, message.inside)

    # ---- a path that was typed

    def look_at(self, typed: str) -> None:
        """Find out what a path is; the answer is posted as Asked."""
        threading.Thread(target=lambda: self._post(asked(typed)), name="npuscope-path", daemon=True).start()

    # ---- the command

    def refusal(self, run: Run) -> Say | None:
        """Why the command of a run is not run here, or None."""
        if not run.next_command:
            return say("profiles_screen.no_command", name=run.name)
        program = program_of(run)
        if not program:
            return say("profiles_screen.not_runnable")
        if self._found(program) is None:
            return say("profiles_screen.not_here", program=program)
        if self._command_of is not None:
            return say("profiles_screen.busy", name=self._command_of.name)
        return None

    def start(self, run: Run) -> None:
        """Run the command of a run in the background."""
        words = words_of(run.next_command or "", os.environ)
        if words is None:
            return
        self._command_of, self._since, self._line = run, time.time(), ""
        self._command = Command(
            words,
            lambda line: self._post(CommandSaid(line)),
            lambda code, line: self._post(CommandEnded(code, line)),
        )
        self._command.start()

    def command_said(self, message: CommandSaid) -> None:
        """Its last line."""
        self._line = message.line

    def command_ended(self, message: CommandEnded) -> Say:
        """It is over; returns what to say about it."""
        name = self._command_of.name if self._command_of is not None else ""
        self._command = self._command_of = None
        if message.code is None:
            return say("profiles_screen.ended.not", name=name, line=message.line)
        if message.code != 0:
            return say("profiles_screen.ended.bad", name=name, code=message.code, line=message.line)
        return say("profiles_screen.ended", name=name)

    def stop(self) -> None:
        """End the command, if one runs."""
        if self._command is not None:
            self._command.stop()


def program_of(run: Run) -> str:
    """The program of a run's command; "" when the command needs the person's own program, or there is none."""
    command = run.next_command or ""
    if not command or OWN_PROGRAM in command:
        return ""
    return shlex.split(command)[0]


def asked(typed: str) -> Asked:
    """What a path is. Reads the disk: not for the UI thread."""
    path = Path(typed).expanduser().absolute()
    packed = inside(str(path)) is not None
    try:
        if not packed:
            path.stat()
    except PermissionError as error:
        return Asked(complaint=say("profiles_screen.open.denied", path=typed, reason=error.strerror))
    except (OSError, ValueError):
        return Asked(complaint=say("profiles_screen.open.missing", path=typed))
    now = time.time()
    run = look_at(path, now)
    if run is not None:
        return Asked(run) if run.state in READABLE else Asked(folder=str(path))
    if not packed and not path.is_dir():
        return Asked(complaint=say("profiles_screen.open.not_profile", path=typed))
    found = list_runs(path, now)
    if found.runs:
        return Asked(folder=str(path))
    if found.problems:
        return Asked(folder=str(path), complaint=found.problems[0].message)
    from npuscope.parsers.msprof.tables.step_trace_time import cluster_table

    key = "profiles_screen.open.none" if cluster_table(path) is None else "profiles_screen.open.ranks"
    return Asked(folder=str(path), complaint=say(key, path=typed, command=shlex.quote(typed)))
