"""Which device a table is of where it does not say, and which devices of a PROF folder have no operators in it."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from npuscope.parsers import columns as c
from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.discovery.files import Folder, collect_command, export_command
from npuscope.parsers.discovery.msprof import DEVICE, holds_raw_data
from npuscope.parsers.msprof.checks import devices_of
from npuscope.parsers.profile import UNKNOWN, Profile
from npuscope.parsers.say import Problem, say

_FOLDER = re.compile(r"(device_(\d{1,6}))/")


def of_its_folder(found: CsvTable, file: str) -> CsvTable:
    """A table with the device of the folder its `file` (relative to the run) lies in, where old layouts name it."""
    match = _FOLDER.match(file)
    if match is None or "device" in found.table:
        return found
    device = np.full(len(found.table), int(match.group(2)), dtype=np.int64)
    column = c.Column(UNKNOWN, f"folder {match.group(1)}", "device", c.INTEGER)
    return replace(found, table=found.table.extended({"device": device}), columns=(*found.columns, column))


def with_lacking(profile: Profile, folder: Folder) -> Profile:
    """The profile, `partial` when devices that were profiled have no row in its table of operators."""
    present = devices_of(profile.ops)
    profiled = {int(name.partition("_")[2]): name for name in folder.folders() if DEVICE.fullmatch(name)}
    lacking = sorted(device for device in profiled if device not in present)
    if profile.run.state != "ready" or not present or not lacking:
        return profile
    raw = any(holds_raw_data(folder.sub(profiled[device])) for device in lacking)
    text = say("profiles.problem.devices-lacking", devices=", ".join(map(str, lacking)))
    command = export_command(folder.path) if raw else collect_command(folder.path)
    run = replace(profile.run, state="partial", reason=text, next_command=command)
    return replace(profile, run=run, problems=(*profile.problems, Problem("no-device-data", text, file=run.path)))
