"""Why a profile has no host calls, and what records them, for the tool it came from."""

from __future__ import annotations

from npuscope.analysis import choice
from npuscope.parsers.profile import Profile
from npuscope.parsers.say import Say, say

_COMMANDS = {
    "torch_npu": "torch_npu.profiler._ExperimentalConfig(profiler_level=torch_npu.profiler.ProfilerLevel.Level1)",
    "mindspore": "mindspore.profiler._ExperimentalConfig(profiler_level=ProfilerLevel.Level1)",
    "msprof_op": "msprof --ascendcl=on --runtime-api=on PROGRAM",
}


def command(tool: str) -> str:
    """What records the host calls (api_statistic) of a program that was profiled with this tool."""
    return _COMMANDS.get(tool, "msprof --ascendcl=on --runtime-api=on PROGRAM")


def missing(profile: Profile) -> Say:
    """Why the three stages cannot be told."""
    left = next((one for one in profile.problems if one.message.key == "profiles.problem.left-out.trace"), None)
    if left is not None:
        return say("stages.none.left-out", file=left.message.params.get("file"))
    tool = choice.tool(profile)
    if profile.run.kind == "csv":
        return say("stages.none.file")
    return say("stages.none.op" if tool == "msprof_op" else "stages.none", command=command(tool))
