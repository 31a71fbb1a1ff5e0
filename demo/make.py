"""Makes the two files of the recorded box anew, always the same: `python -m npuscope.demo.make [FOLDER]`."""

from __future__ import annotations

import gzip
import json
import sys
import zipfile
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path

from npuscope.demo.prof import folder_name, tree
from npuscope.demo.readings import STARTED_AT, readings
from npuscope.demo.runs import RUNS
from npuscope.parsers.reading_json import to_json

HERE = Path(__file__).parent
READINGS, PROFILES = "readings.jsonl.gz", "profiles.zip"
APART_S = 90
LEVEL = 9


def readings_text() -> bytes:
    """The recording: one snapshot document a line."""
    documents = (to_json(reading, (), lambda sentence: sentence.key) for reading in readings())
    return b"".join(json.dumps(document, separators=(",", ":")).encode() + b"\n" for document in documents)


def profile_files() -> dict[str, bytes]:
    """All files of all profiles by path, in the order they come into being."""
    found: dict[str, bytes] = {}
    for number, run in enumerate(RUNS, start=1):
        started_us = round((STARTED_AT + (number - 1) * APART_S) * 1_000_000) + 123_000
        found.update(tree(run, folder_name(number, run.key, started_us), started_us))
    return found


def packed(data: bytes) -> bytes:
    """gzip without a name and a time."""
    buffer = BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=LEVEL, fileobj=buffer, mtime=0) as file:
        file.write(data)
    return buffer.getvalue()


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A zip archive in the order given, with one time for all."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, date_time=(2026, 1, 2, 22, 6, 0))
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED, LEVEL)
    return buffer.getvalue()


def main(words: Sequence[str] | None = None) -> int:
    """Write both files."""
    given = sys.argv[1:] if words is None else words
    folder = Path(given[0]) if given else HERE
    (folder / READINGS).write_bytes(packed(readings_text()))
    (folder / PROFILES).write_bytes(zipped(profile_files()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
