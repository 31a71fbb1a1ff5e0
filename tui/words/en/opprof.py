"""Words: profiles of `msprof op`, metric groups, runs joined into one."""

from __future__ import annotations

WORDS: dict[str, str] = {
    "opprof.problem.binary": "{file} is cut or is something else (at byte {at}): the advice of the vendor's tool is not shown.",
    "opprof.problem.simulated": "The times are the simulator's, not those of a chip: compare them with other simulations only.",
    "opprof.problem.no-trace": "The simulator left no trace.json with a time for each core: the instructions are known, but not how long the operator took.",
}
