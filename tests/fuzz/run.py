"""Fuzz readers for a while:  python tests/fuzz/run.py --minutes 10 [--keep FOLDER] [TARGET...]

Prints how many inputs were tried and every failure once, with its smallest input; exit code 1 when there was one.
`--replay TARGET "Input(...)"` tries one input again.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "src")]

from fuzz_all import TARGETS  # noqa: E402
from fuzz_target import Target  # noqa: E402
from hypothesis import HealthCheck, Phase, given, seed, settings  # noqa: E402
from mutations import Input  # noqa: E402

MOST_SECONDS = 10.0  # of the processor, for one input
MOST_MEMORY = 6 << 30
AT_ONCE = 400
_OURS = ("/parsers/", "/sources/", "/analysis/", "/cli/", "/tui/")


class TooSlowError(Exception):
    """An input took longer than any input may."""


@contextmanager
def bounded(seconds: float) -> Iterator[None]:
    """What takes more of the processor than this fails."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooSlowError

    signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _is_ours(file: str) -> bool:
    return "/tests/" not in file and any(part in file for part in _OURS)


def place_of(error: BaseException) -> str:
    """Where in the program an error came from: failures of one place are one failure."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if _is_ours(frame.filename)]
    last = (ours or frames)[-1]
    words = str(error)[:60] if isinstance(error, AssertionError) else ""
    return f"{type(error).__name__} {Path(last.filename).name}:{last.lineno} {words}".strip()


def tell(target: Target, value: Input, error: BaseException, where: str, keep: Path) -> None:
    """Print a failure and keep its input."""
    kept = keep / f"{target.name}-{hashlib.sha1(where.encode()).hexdigest()[:8]}.bin"
    kept.write_bytes(target.data(value))
    print(f"FAILED {target.name}: {where}\n  {value!r}\n  input kept in {kept}", flush=True)
    traceback.print_exception(type(error), error, error.__traceback__, limit=-6, file=sys.stdout)
    sys.stdout.flush()


def fuzz(target: Target, seconds: float, keep: Path) -> tuple[int, dict[str, int]]:
    """Try inputs for so long; how many there were, and how often each failure came."""
    known: dict[str, int] = {}
    tried, slowest = 0, 0.0
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory(prefix="npuscope-fuzz-") as name:
        folder = Path(name) / "work"
        folder.mkdir()
        last: list[tuple[Input, BaseException, str]] = []

        def one(value: Input) -> None:
            nonlocal tried, slowest
            tried += 1
            begun = time.process_time()
            try:
                with bounded(MOST_SECONDS):
                    target.check(value, folder)
            except Exception as error:
                where = place_of(error)
                if where in known:
                    known[where] += 1
                    return
                last[:] = [(value, error, where)]
                if isinstance(error, TooSlowError):  # to look for a smaller one would take minutes
                    known[where] = 1
                    tell(target, value, error, where, keep)
                    return
                raise
            finally:
                slowest = max(slowest, time.process_time() - begun)

        number = time.time_ns() % (1 << 32)
        while time.monotonic() < end:
            number += 1
            options = settings(
                max_examples=AT_ONCE,
                database=None,
                deadline=None,
                derandomize=False,
                report_multiple_bugs=False,
                phases=(Phase.generate, Phase.shrink),
                suppress_health_check=list(HealthCheck),
            )
            last.clear()
            try:
                seed(number)(options(given(target.inputs)(one)))()
            except Exception:
                if not last:
                    traceback.print_exc()
                    continue
                value, error, where = last[0]
                known[where] = 1
                tell(target, value, error, where, keep)
    print(f"{target.name}: slowest input {slowest:.2f} s of the processor", flush=True)
    return tried, known


def parsed(text: str) -> Input:
    """An input as it was printed."""
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call), "an input is Input(seed=…, changes=…)"
    return Input(**{str(word.arg): ast.literal_eval(word.value) for word in call.keywords})


def main() -> int:
    """See the module's text."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir()), help="where failing inputs are kept")
    parser.add_argument("--replay", metavar="INPUT", help="one input, as a failure prints it")
    asked = parser.parse_args()
    unknown = [name for name in asked.targets if name not in TARGETS]
    if unknown:
        parser.error(f"no target {unknown[0]}; there are {', '.join(TARGETS)}")
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    asked.keep.mkdir(parents=True, exist_ok=True)
    failed = False
    for name in asked.targets or TARGETS:
        if asked.replay:
            with tempfile.TemporaryDirectory() as folder:
                TARGETS[name].check(parsed(asked.replay), Path(folder))
            continue
        begun = time.monotonic()
        tried, failures = fuzz(TARGETS[name], asked.minutes * 60, asked.keep)
        minutes = (time.monotonic() - begun) / 60
        print(f"{name}: {tried} inputs in {minutes:.1f} min, {len(failures)} failures", flush=True)
        for where, times in failures.items():
            print(f"  {times:6d} x {where}", flush=True)
        failed |= bool(failures)
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
