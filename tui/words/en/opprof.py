"""Words: profiles of `msprof op`, metric groups, runs joined into one."""

from __future__ import annotations

WORDS: dict[str, str] = {
    "opprof.problem.binary": "{file} is cut or is something else (at byte {at}): the advice of the vendor's tool is not shown.",
    "opprof.problem.simulated": "The times are the simulator's, not those of a chip: compare them with other simulations only.",
    "opprof.problem.no-trace": "The simulator left no trace.json with a time for each core: the instructions are known, but not how long the operator took.",
    "opprof.join.empty": "{run} has no operators: there is nothing to join.",
    "opprof.join.differs.name": "Row {row} of {run} is {here}, but the same call of {type} in {other} is {there}: these are not runs of the same program.",
    "opprof.join.differs.shapes": "Row {row} of {run}, a call of {type}, has the shapes {here}, in {other} {there}: these are not runs of the same program.",
    "opprof.join.count": "Row {row} of {run}, a call of {type}, has none beside it in {other}: {here} calls against {there}.",
    "opprof.join.chip": "{run} ran on {here}, {other} on {there}: only runs on one chip are joined.",
    "opprof.join.hint": "Join runs of the same program and the same steps that differ in --aic-metrics alone.",
    "opprof.join.slower": "{type} took {there:time} in {other} and {here:time} in {run} ({pct:signed} %; types that differ so much: {types}): the counters of {other} may be of another situation.",
    "opprof.join.slower.hint": "Durations are those of the first run; profile again on a chip at rest.",
    "opprof.opt.join": "take the runs at all PATHs (or RUN1,RUN2) for one program profiled with several metric groups, and report them as one",
    "opprof.join.one": "There is one run or none: nothing to join.",
    "opprof.join.one.hint": "Name two runs: npuscope report RUN1,RUN2 --join",
}
