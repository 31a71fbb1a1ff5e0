"""PROF_* folders as msprof leaves them on a 910B3: what was collected, the notes beside it, and the exported tables."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta, timezone

from npuscope.demo.runs import DemoRun
from npuscope.demo.tables import CUBE_CORES, MHZ, VECTOR_CORES, Task, op_statistic, op_summary

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
FOLDER = "/home/dev/prof"
COLLECT_US = 1_400_000  # the program starts so long after the collector, and ends so long before it
EXPORTED_S = 2
SLICE = "stars_soc.data.0.slice_0"
README = """\
op_summary: one line per task that ran on the device, with its times, shapes and core counters.
op_statistic: the same tasks summed up by operator type.
"""


def folder_name(number: int, key: str, started_us: int) -> str:
    """PROF_<number>_<17 digits of time>_<16 letters>; `started_us` = Unix us, written as UTC."""
    letters = f"DEMO{key}NPUSCOPENPUSCOPE".replace("-", "").upper()[:16]
    return f"PROF_{number:06d}_{stamp(started_us)}_{letters}"


def stamp(us: int) -> str:
    """17 digits: yyyymmddHHMMSSmmm."""
    moment = EPOCH + timedelta(microseconds=us)
    return f"{moment:%Y%m%d%H%M%S}{moment.microsecond // 1000:03d}"


def tree(run: DemoRun, name: str, started_us: int) -> dict[str, bytes]:
    """All files of the folder `name` by their path in it; the collector began at `started_us` (Unix us)."""
    tasks = run.tasks()
    ended_us = started_us + 2 * COLLECT_US + tasks[-1].end_ns // 1000
    device, host = f"{name}/device_0", f"{name}/host"
    noted = {
        f"{host}/info.json": _info(run, device=False),
        f"{host}/sample.json": _sample(run, f"{FOLDER}/{host}/"),
        f"{host}/start_info": _moment("Begin", started_us),
        f"{device}/info.json.0": _info(run, device=True),
        f"{device}/sample.json": _sample(run, f"{FOLDER}/{device}/"),
        f"{device}/start_info.0": _moment("Begin", started_us + 8_000),
        f"{device}/data/{SLICE}": bytes(32 * len(tasks)),
        f"{device}/end_info.0": _moment("End", ended_us - 5_000),
        f"{host}/end_info": _moment("End", ended_us),
    }
    return {**_closed(noted), **_tables(tasks, name, started_us, ended_us)}


def _tables(tasks: Sequence[Task], name: str, started_us: int, ended_us: int) -> dict[str, bytes]:
    output, seconds = f"{name}/mindstudio_profiler_output", stamp(ended_us + EXPORTED_S * 1_000_000)[:14]
    return {
        f"{output}/op_summary_{seconds}.csv": op_summary(tasks, started_us + COLLECT_US).encode(),
        f"{output}/op_statistic_{seconds}.csv": op_statistic(tasks).encode(),
        f"{output}/README.txt": README.encode(),
    }


def _closed(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files, each followed by the collector's note that it is complete."""
    found = {}
    for path, data in files.items():
        found[path] = data
        found[f"{path}.done"] = f"filesize:{len(data)}\n".encode()
    return found


def _info(run: DemoRun, device: bool) -> bytes:
    cores = {
        "id": 0, "env_type": 3, "ctrl_cpu_core_num": 1, "ai_cpu_core_num": 6, "ai_core_num": CUBE_CORES,
        "aiv_num": VECTOR_CORES, "hwts_frequency": "50", "aic_frequency": str(MHZ), "aiv_frequency": str(MHZ),
    }  # fmt: skip
    return _json({
        "jobInfo": "NA", "version": "1.0", "OS": "Linux", "hostname": "a2-07", "hwtype": "aarch64",
        "devices": "0" if device else "", "DeviceInfo": [cores] if device else [], "platform_version": "5",
        "pid": "52001", "cpuNums": 192, "rank_id": -1, "pid_name": run.app,
    })  # fmt: skip


def _sample(run: DemoRun, result_dir: str) -> bytes:
    return _json({
        "ai_core_metrics": "PipeUtilization", "ai_core_profiling": "on", "ai_core_profiling_mode": "task-based",
        "aiv_metrics": "PipeUtilization", "aiv_profiling": "on", "aiv_profiling_mode": "task-based", "app": run.app,
        "app_parameters": run.parameters, "devices": "0", "profLevel": "l1", "result_dir": result_dir,
    })  # fmt: skip


def _moment(word: str, us: int) -> bytes:
    date = f"{EPOCH + timedelta(microseconds=us):%Y-%m-%d %H:%M:%S.%f}"
    return _json({f"collectionDate{word}": date, f"collectionTime{word}": str(us)})


def _json(content: Mapping[str, object]) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode()
