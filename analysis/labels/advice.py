"""What to try next: what public before/after pairs show to help for this label, detail, chip and way of writing.

Gains are percent of the time that the change took away, least and most of the pairs at hand; the pairs' names stand
beside them. What the pairs show not to help is not said: vector tuning and bank conflicts under a movement limit,
double buffering where movement or the scalar unit is the limit, L2 splitting where the cube is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from npuscope.analysis.labels.models import ASCENDC, FRAMEWORK, NEUTRAL, TBE, TILELANG, TRITON
from npuscope.parsers.say import Say, say

MOST = 3  # sentences of one verdict
A2, A5 = "A2", "950"
OWN = (ASCENDC, TRITON, TILELANG, TBE, NEUTRAL)  # whose kernel can be changed
FULL = 0.90  # share from which a pipe has no room left for overlap
AT_LIMIT = 0.96  # of the core time in the cube: the pairs from here on gave 0 to 1.2 %


@dataclass(frozen=True)
class Context:
    """What advice depends on, of one row. Shares 0..1, None = unknown. family = A2, 950 or ""; unit = that computes
    (bounds.UNITS), "" = unknown.
    """

    model: str
    family: str
    block: float | None = None
    cores: float | None = None
    move: float | None = None
    cube: float | None = None
    bandwidth: float | None = None
    hit: float | None = None
    conflict: bool = False
    matmul: bool = False
    attention: bool = False
    mix: bool = False
    simt: bool = False
    ragged: bool | None = None
    unit: str = ""

    @property
    def few(self) -> bool:
        """Whether cores stand idle."""
        return self.block is not None and self.cores is not None and self.block < self.cores

    def used(self, share: float) -> bool:
        """Whether at least this share of the bandwidth is in use."""
        return self.bandwidth is not None and self.bandwidth >= share

    @property
    def many(self) -> bool:
        """Whether there are more blocks than cores."""
        return self.block is not None and self.cores is not None and self.block > self.cores


def _range(least: float, most: float) -> str:
    return f"{least:g}" if least == most else f"{least:g}–{most:g}"


def _always(context: Context) -> bool:
    return True


@dataclass(frozen=True)
class Entry:
    """One piece of advice. gains: family ("" = any) -> least and most percent; page = a key of pages.py; () models and
    families = all.
    """

    key: str
    gains: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    page: str = ""
    when: Callable[[Context], bool] = _always
    models: tuple[str, ...] = ()
    families: tuple[str, ...] = ()

    def holds(self, context: Context) -> bool:
        """Whether it is for this row."""
        fits = not self.families or context.family in ("", *self.families)
        return fits and (not self.models or context.model in self.models) and self.when(context)

    def gain(self, context: Context) -> tuple[float, float] | None:
        """Least and most percent: of the chip's family, else of all pairs."""
        if self.key == "all-cores" and context.block and context.cores:
            most = 100 * (1 - context.block / context.cores)
            return most, most
        own = self.gains.get(context.family)
        ranges = [own] if own else list(self.gains.values())
        return (min(low for low, _ in ranges), max(high for _, high in ranges)) if ranges else None

    def _where(self, context: Context) -> str:
        return context.family if context.family in self.gains else ", ".join(filter(None, self.gains))

    def said(self, context: Context) -> Say:
        """The sentence, in the words of the model where it has some."""
        key = f"advice.{self.key}"
        params: dict[str, float | str | None] = {}
        gain = self.gain(context)
        if self.key in WORDED:
            key = f"{key}.{context.model}"
        if self.key in WORDED and context.model == TRITON:
            params["page"] = "page.triton"
        if self.key not in WORDED or context.model == ASCENDC:  # what was measured, and where it is described
            params |= {"page": f"page.{self.page}"} if self.page else {}
            if gain is not None and self.key != "all-cores":
                params |= {"gain": _range(*gain), "where": self._where(context)}
        if self.key in ("all-cores", "fewer-blocks"):
            params |= {"block": context.block, "cores": context.cores}
        return Say(key, params)


# advice that each way of writing has its own words for
WORDED = frozenset({"all-cores", "packets", "double-buffer", "vectorise", "fuse", "align", "base-block"})

_CORES = Entry("all-cores", page="add", when=lambda c: c.few)
_PACKETS = Entry("packets", {A2: (12, 59)}, "larger-copies", models=(*OWN, FRAMEWORK))
_LARGER = Entry("packets", {A2: (12, 23)}, "larger-copies", models=OWN)
_BUFFER = Entry("double-buffer", {A2: (27, 38)}, "double-buffer", models=OWN)
_SERIAL = Entry("double-buffer", {A5: (41, 41)}, "double-buffer", models=OWN)
_FUSE = Entry("fuse", page="matmul-gelu", when=lambda c: not (c.attention and c.model == FRAMEWORK))
_VARIANT = Entry("other-kernel", when=lambda c: c.attention, models=(FRAMEWORK,))
_ALIGN = Entry(
    "align",
    {A2: (22, 48), A5: (2, 8)},
    "constraints",
    when=lambda c: c.ragged is not False and (c.ragged is True or c.family != A5),
)
_STAGGER = Entry("stagger", {A2: (13, 39), A5: (2, 49)}, "same-address", models=OWN)
_BALANCE = Entry("balance", {"": (39, 39)}, models=OWN)
_BASE_BLOCK = Entry("base-block", {A2: (59, 59), A5: (38, 38)}, "matmul", lambda c: c.matmul)
_TILES = Entry("bigger-tiles", {A2: (12, 23)}, "larger-copies", models=OWN)
_BATCH = Entry("batch", {"": (58, 97)})
_GRAPH = Entry("graph", {"": (61, 61)}, "torchair")
_HOST = Entry("host", page="task-queue")
_SYNC = Entry("sync")
_OTHER = Entry("other-kernel", models=(FRAMEWORK,))

ADVICE: Mapping[tuple[str, str], tuple[Entry, ...]] = {
    ("memory", "few-cores"): (_CORES, _LARGER, Entry("batch-shape", models=(FRAMEWORK,))),
    ("memory", "write-out"): (
        Entry("workspace", {A2: (31, 31)}, "attention", lambda c: c.attention or c.mix, (ASCENDC, TILELANG)),
        Entry("unit-flag", {A2: (7, 7), A5: (1, 1)}, "unit-flag", lambda c: c.matmul, (ASCENDC,)),
        _FUSE,
        _VARIANT,
        _CORES,
    ),
    ("memory", "tiling"): (
        _BASE_BLOCK,
        Entry("l2-split", {A2: (1, 7)}, "l2-split", lambda c: c.matmul, OWN, (A2,)),
        Entry("swizzle", {"": (47, 56)}, "data-copy", lambda c: (c.hit or 1.0) < 0.5, OWN),
        Entry("bigger-tiles", {A2: (12, 23)}, "larger-copies", lambda c: not c.matmul, OWN),
        Entry("other-kernel", when=lambda c: not c.matmul, models=(FRAMEWORK,)),
        _CORES,
    ),
    ("memory", "balanced"): (_FUSE, _VARIANT, _CORES),
    ("memory", "l2"): (_FUSE, _VARIANT, Entry("fewer-bytes"), _CORES),
    ("memory", ""): (
        Entry("bypass", {A2: (26, 29)}, "l2-mode", lambda c: not c.matmul and c.used(0.6), OWN),
        Entry("double-buffer", {A2: (27, 38)}, "double-buffer", lambda c: (c.move or 1.0) < FULL, OWN),
        Entry("packets", {A2: (8, 23)}, "larger-copies", lambda c: not c.used(0.8), OWN),
        Entry("scales", {A5: (8, 8)}, "mxfp4", lambda c: c.matmul, OWN, (A5,)),
        _BASE_BLOCK,
        _FUSE,
        _VARIANT,
        Entry("fewer-bytes"),
        _CORES,
    ),
    ("access", "packets"): (Entry("packets", {A2: (59, 76)}, "larger-copies"), _ALIGN, _CORES),
    ("access", "unaligned"): (
        Entry("nd2nz", {A2: (37, 37)}, "nd2nz", lambda c: c.matmul, (ASCENDC,)),
        _ALIGN,
        _PACKETS,
    ),
    ("access", "conflicts"): (Entry("conflicts", {A5: (38, 38)}, "banks", models=OWN), _OTHER),
    ("access", "rereads"): (Entry("swizzle", {"": (47, 56)}, "data-copy", models=OWN), _STAGGER, _BASE_BLOCK, _OTHER),
    ("access", "strided"): (
        Entry("coalesce", {A5: (48, 82)}, "simt", lambda c: c.simt, OWN),
        Entry("through-ub", {A5: (35, 65)}, "transpose", lambda c: c.simt, OWN),
        Entry("packets", {A2: (59, 76)}, "larger-copies", models=OWN),
        _STAGGER,
        Entry("contiguous"),
        _ALIGN,
    ),
    ("access", "tile"): (Entry("pad-256", page="constraints"), _ALIGN, _PACKETS),
    ("access", ""): (
        Entry("bnsd", {A2: (23, 23)}, "attention", lambda c: c.attention),
        _PACKETS,
        _STAGGER,
        _ALIGN,
        _CORES,
    ),
    ("compute", "cube"): (
        Entry("at-limit", {A5: (0, 1.2)}, "matmul", lambda c: (c.cube or 0) >= AT_LIMIT),
        Entry("quantise", when=lambda c: c.unit != "cube_int8"),
        Entry("algorithm"),
        _CORES,
    ),
    ("compute", "vector"): (
        Entry("ratio-1-2", {"": (21, 39)}, when=lambda c: c.mix, models=OWN),
        Entry("conflicts", {A5: (38, 38)}, "banks", lambda c: c.conflict, OWN),
        Entry("fewer-instructions", models=OWN),
        Entry("fewer-casts"),
        Entry("precision", when=lambda c: c.unit != "vector_fp16"),
        _CORES,
    ),
    ("compute", "inefficient"): (Entry("padding"), Entry("repeats", models=OWN),
        Entry("precision", when=lambda c: c.unit != "vector_fp16"), _CORES),
    ("stall", "scalar"): (
        Entry("vectorise", {"": (95, 99)}, "add", models=OWN),
        Entry("batch-writes", {"": (53, 59)}, models=OWN, when=lambda c: not c.matmul),
        Entry("pure-cube", {A2: (37, 37)}, "pure-cube", lambda c: c.matmul, (ASCENDC,)),
        Entry("constant-tiling", {A2: (26, 26)}, "constant-tiling", lambda c: c.matmul, (ASCENDC,)),
        Entry("ibshare", {A2: (17, 17)}, "ibshare", lambda c: c.matmul, (ASCENDC,)),
        _OTHER,
        _CORES,
    ),
    ("stall", "imbalance"): (_BALANCE, Entry("per-core"), _CORES),
    ("stall", "head"): (
        Entry("output-buffer", {A2: (42, 42)}, models=OWN, when=lambda c: not c.matmul),
        _BALANCE,
        Entry("per-core"),
        _CORES,
    ),
    ("stall", "serial"): (_SERIAL, Entry("barriers", models=OWN), _OTHER, _CORES),
    ("stall", "waits"): (
        Entry("stages", {"": (9, 15)}, when=lambda c: c.mix, models=OWN),
        _SERIAL,
        Entry("barriers", models=OWN),
        _OTHER,
        _CORES,
    ),
    ("stall", "fetch"): (Entry("code-size", models=OWN), Entry("launch-bounds", {A5: (6, 6)}, "simt",
                         lambda c: c.simt, OWN), _OTHER),
    ("stall", "few-cores"): (
        Entry("all-cores", page="grid-dim", when=lambda c: c.few),
        _TILES,
        Entry("batch-shape", models=(FRAMEWORK,)),
    ),
    ("stall", ""): (_BUFFER, _TILES, Entry("barriers", models=OWN), _OTHER, _CORES),
    ("launch", "gap"): (_BATCH, _GRAPH, _HOST, _SYNC),
    ("launch", "blocks"): (
        Entry("fewer-blocks", {A5: (11, 25)}, "grid-dim", lambda c: c.many),
        Entry("batch-shape", models=(FRAMEWORK,)),
        _BATCH,
    ),
    ("launch", ""): (
        Entry("fewer-blocks", {A5: (11, 25)}, "grid-dim", lambda c: c.many),
        _BATCH,
        _GRAPH,
    ),
    ("other", "helper"): (Entry("helper"),),
    ("other", "fused"): (Entry("fused"),),
    ("communication", ""): (Entry("overlap", {A2: (33, 33)}, "mc2"), Entry("merge-collectives"),),
    ("ai_cpu", ""): (Entry("dtype", {"": (18, 95)}, "ai-cpu"),),
}  # fmt: skip


def advise(label: str, detail: str | None, context: Context) -> tuple[Say, ...]:
    """What to try, best first; at most MOST sentences."""
    entries = ADVICE.get((label, detail or ""), ADVICE.get((label, ""), ()))
    fitting = [entry for entry in entries if entry.holds(context)]
    ranked = sorted(fitting, key=lambda entry: -_rank(entry, context))
    return tuple(entry.said(context) for entry in ranked[:MOST])


def _rank(entry: Entry, context: Context) -> float:
    gain = entry.gain(context)
    if context.model == FRAMEWORK and entry.key in WORDED and entry.key != "all-cores":
        return -1.0  # the gain was measured where the kernel could be changed
    return -1.0 if gain is None else sum(gain) / 2


def collect_again(command: str) -> tuple[Say, ...]:
    """For rows without a label."""
    return (say("advice.collect", command=command),)
