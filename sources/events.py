"""The kernel's news about folders, through watchdog 6 and 7. What comes is a hint to look; silence proves nothing."""

from __future__ import annotations

import errno
import logging
import os
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from npuscope.sources.mounts import silent_file_system

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent, FileSystemEventHandler
    from watchdog.observers.api import BaseObserver, ObservedWatch

Heard = Callable[[str, str, bool], None]

LIMIT = "inotify limit"
PERMISSION = "permission"
MISSING = "not there"
ONE_FILE = "one file"
MANY = "too many folders"
NONE = "no inotify"
BEGINNING = "first look"
REASONS = frozenset({LIMIT, PERMISSION, MISSING, ONE_FILE, MANY, NONE, BEGINNING})

MOST_FOLDERS = 40_000
MAX_WATCHES = Path("/proc/sys/fs/inotify/max_user_watches")

_log = logging.getLogger("watchdog")
_deaths: list[str] = []


def keep_quiet() -> None:
    """Nothing of watchdog may reach the terminal: neither its warnings nor its log nor a thread that dies."""
    warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"watchdog\.")
    if not _log.handlers:
        _log.addHandler(logging.NullHandler())
        _log.propagate = False
    if not getattr(threading.excepthook, "npuscope", False):
        threading.excepthook = _hook(threading.excepthook)


def _hook(before: Callable[[threading.ExceptHookArgs], object]) -> Callable[[threading.ExceptHookArgs], None]:
    def hook(args: threading.ExceptHookArgs) -> None:
        if type(args.thread).__module__.startswith("watchdog."):
            _deaths.append(str(args.exc_value))
        else:
            before(args)

    hook.npuscope = True  # type: ignore[attr-defined]
    return hook


def obstacle(root: str) -> str | None:
    """Why a root is not worth watching by events, in a word; None when it is. Folders only."""
    if not Path(root).exists():
        return MISSING
    if not Path(root).is_dir():
        return ONE_FILE
    if not os.access(root, os.R_OK | os.X_OK):
        return PERMISSION
    if not sys.platform.startswith("linux"):
        return NONE
    return silent_file_system(root) or (MANY if _folders(root) > _most_folders() else None)


class Events:
    """Watches roots recursively, one schedule each; calls `heard(root, path, is_folder)` from watchdog's thread."""

    def __init__(self, heard: Heard) -> None:
        self._heard = heard
        self._observer: BaseObserver | None = None
        self._watches: dict[str, ObservedWatch] = {}
        self._deaths = len(_deaths)

    def watch(self, root: str) -> str | None:
        """Begin to hear of a root; returns why that is not possible, in a word, or None."""
        reason = obstacle(root)
        if reason is None:
            try:
                self._schedule(root)
            except OSError as error:
                reason = _reason(error)
            except ImportError:  # watchdog refuses a C library without inotify
                reason = NONE
        return reason

    def unwatch(self, root: str) -> None:
        """Hear no more of a root."""
        watch = self._watches.pop(root, None)
        if watch is not None and self._observer is not None:
            try:
                self._observer.unschedule(watch)
            except (KeyError, OSError):  # the root vanished, and its watch with it
                return

    @property
    def broken(self) -> bool:
        """Whether a thread of watchdog died: from then on nothing it tells is complete."""
        return len(_deaths) > self._deaths or (self._observer is not None and not self._observer.is_alive())

    def stop(self) -> None:
        """Hear nothing more; returns at once, the threads end by themselves."""
        observer, self._observer = self._observer, None
        self._watches.clear()
        if observer is not None:
            threading.Thread(target=observer.stop, name="npuscope-events-stop", daemon=True).start()

    def _schedule(self, root: str) -> None:
        from watchdog.observers import Observer

        keep_quiet()
        if self._observer is None:
            observer = Observer()
            observer.start()
            self._observer = observer
        real = os.path.realpath(root)
        self._watches[root] = self._observer.schedule(
            _handler(self._heard, root, real), real, recursive=True, event_filter=_wanted()
        )


def _wanted() -> list[type[FileSystemEvent]]:
    # without a filter watchdog 7 hears its own directory walks and never gets out of a queue overflow
    from watchdog import events as of

    return [
        of.FileCreatedEvent, of.FileClosedEvent, of.FileMovedEvent, of.FileDeletedEvent,
        of.DirCreatedEvent, of.DirMovedEvent, of.DirDeletedEvent,
    ]  # fmt: skip


def _handler(heard: Heard, root: str, real: str) -> FileSystemEventHandler:
    from watchdog.events import FileSystemEventHandler

    class Handler(FileSystemEventHandler):
        def dispatch(self, event: FileSystemEvent) -> None:
            for path in (event.src_path, event.dest_path):
                if path:
                    heard(root, root + os.fsdecode(path)[len(real) :], event.is_directory)

    return Handler()


def _reason(error: OSError) -> str:
    if error.errno in (errno.EMFILE, errno.ENOSPC, errno.ENFILE, errno.ENOMEM):
        return LIMIT
    if error.errno in (errno.EACCES, errno.EPERM):
        return PERMISSION
    return MISSING if error.errno in (errno.ENOENT, errno.ENOTDIR) else NONE


def _most_folders() -> int:
    try:
        return min(MOST_FOLDERS, int(MAX_WATCHES.read_text(encoding="ascii")) // 2)
    except (OSError, ValueError):
        return MOST_FOLDERS


def _folders(root: str) -> int:
    """How many watches a root would take; counting ends where it is too many anyway."""
    most, count = _most_folders(), 0
    for _, folders, _ in os.walk(root):
        count += len(folders)
        if count > most:
            break
    return count
