"""Watching folders: how it ends, and that nothing of it reaches the terminal."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import npuscope
from npuscope.sources.directories import DirectorySource

DEADLINE_S = 20.0


def test_stop_does_not_wait_for_a_listener_that_hangs(tmp_path):
    entered, release = threading.Event(), threading.Event()

    def hang(_):
        entered.set()
        release.wait(DEADLINE_S)

    source = DirectorySource([tmp_path])
    source.start(hang)
    assert entered.wait(DEADLINE_S)
    begun = time.monotonic()
    source.stop()
    assert time.monotonic() - begun < 5.0
    release.set()


def test_a_stop_before_the_start():
    DirectorySource([Path("nowhere")]).stop()


def test_nothing_of_watchdog_reaches_the_terminal(tmp_path):
    """A thread of watchdog that dies, a log line and a warning: standard error stays empty, ours still speaks."""
    program = textwrap.dedent("""
        import logging, queue, sys, threading, warnings
        from pathlib import Path
        from npuscope.sources.directories import DirectorySource
        from watchdog.utils import BaseThread
        said = queue.Queue()
        source = DirectorySource([Path(sys.argv[1])])
        source.start(said.put)
        while source.how != "events":
            said.get(timeout=20)
        class Dying(BaseThread):
            def run(self):
                raise OSError(28, "inotify watch limit reached")
        Dying.__module__ = "watchdog.observers.inotify_buffer"
        thread = Dying(); thread.start(); thread.join()
        logging.getLogger("watchdog.observers.inotify_c").error("queue overflowed")
        scope = {"__name__": "watchdog.observers.inotify_c", "warnings": warnings}
        exec("def warn(): warnings.warn('watch exists', RuntimeWarning)\\nwarn()", scope)
        source.rescan()
        while source.how != "polling (inotify limit)":
            said.get(timeout=20)
        source.stop()
        def own():
            raise ValueError("ours")
        thread = threading.Thread(target=own); thread.start(); thread.join()
    """)
    environ = {**os.environ, "PYTHONPATH": str(Path(npuscope.__file__).parent.parent)}
    words = [sys.executable, "-c", program, str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, env=environ)
    assert done.returncode == 0, done.stderr
    assert "watch" not in done.stderr
    assert "ValueError: ours" in done.stderr
