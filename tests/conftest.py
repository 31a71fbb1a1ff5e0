"""For all tests: a property is about values, never about the time that a busy machine takes."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("any-machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any-machine")


@pytest.fixture
def shared(tmp_path):
    """A folder that everyone may enter; closed parts are opened again so that it can be removed."""
    folders = [tmp_path, *tmp_path.parents]
    opened = {folder: folder.stat().st_mode for folder in folders if folder.stat().st_uid == os.getuid()}
    for folder, mode in opened.items():
        folder.chmod(mode | 0o055)
    yield tmp_path
    for path in [tmp_path, *tmp_path.rglob("*")]:
        if path.is_dir():
            path.chmod(0o755)
    for folder, mode in opened.items():
        folder.chmod(mode)
