"""What a box without NPU and without profile is told."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from rich.cells import cell_len

from npuscope.sources.box import Box
from npuscope.tui import text
from npuscope.tui.firstcontact import lines_of


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    text.set_language("en")
    yield
    text.set_language("en")


def rows(box: Box) -> list[list[str]]:
    return [[said for _, said, _ in line.texts] for line in lines_of(box, "./", "watched by events")]


def test_nothing_there():
    found = rows(Box(None, 0, None))
    assert found[1] == ["npu-smi", "not found", "in PATH, /usr/local/sbin, Ascend/driver/tools"]
    assert found[2][:2] == ["driver", "not there"]
    assert found[3][:2] == ["msprof", "not found"]
    assert found[4] == ["profiles", "0", "PROF_*, *_ascend_pt, *_ascend_ms, OPPROF_* in ./"]
    assert ["./ is watched by events. A profile that appears there is shown"] in found


def test_what_is_there_is_named():
    found = rows(Box("/usr/local/sbin/npu-smi", 8, "/opt/cann/bin/msprof"))
    assert found[1] == ["npu-smi", "found", "/usr/local/sbin/npu-smi"]
    assert found[2] == ["driver", "there", "8 devices: /dev/davinci*"]
    assert found[3] == ["msprof", "found", "/opt/cann/bin/msprof"]


def test_every_key_does_something():
    lines = lines_of(Box(None, 0, None), "./", "watched by events")
    keys = {line.texts[0][1]: line.action for line in lines if line.action}
    assert keys == {"d": "demo", "o": "open", "?": "app.help"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_it_fits_eighty_columns_and_24_rows(language):
    text.set_language(language)
    lines = lines_of(Box(None, 0, None), "./", text.t("watch.events"))
    assert len(lines) + 1 <= 24 - 4
    for line in lines:
        for x, said, _ in line.texts:
            assert x + cell_len(said) <= 80, said
