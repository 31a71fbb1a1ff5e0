"""What communication.json and communication_matrix.json tell: waiting, small or unaligned packets, slow links."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import Bools, Floats
from npuscope.analysis.chips import Chip
from npuscope.analysis.findings.common import leading_types, run_us, severity
from npuscope.analysis.summary import Finding, Summary
from npuscope.parsers.say import Say, say
from npuscope.parsers.table import Table


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`communication-waits`, `small-collectives`, `unaligned-collectives`, `slow-link`, `rdma-retransmission`."""
    extras = summary.profile.extras
    sent, packets, links = (extras.get(name, Table({})) for name in ("communication", "packets", "links"))
    return (
        *_waits(summary, sent),
        *_retransmission(summary, sent),
        *_packets(summary, packets),
        *_link(summary, links),
    )


def _waits(summary: Summary, sent: Table) -> tuple[Finding, ...]:
    elapsed, wait = (np.nan_to_num(sent.numbers(name)) for name in ("elapsed_us", "wait_us"))
    whole, waited = float(elapsed.sum()), waited_us(summary)
    limits, exposed = summary.thresholds, summary.totals.communication_not_overlapped_us
    if not whole or waited <= limits.waiting * whole or waited < limits.worth_share * run_us(summary):
        return ()
    worst = int(np.argmax(wait))
    evidence = say(
        "finding.waits.evidence",
        name=sent.strings("name")[worst],
        us=float(wait[worst]),
        elapsed_us=float(elapsed[worst]),
        limit=100 * limits.waiting,
    )
    saved = waited if exposed is None else min(waited, exposed)
    title = say("finding.waits", us=waited, pct=100 * waited / whole)
    return (_finding(summary, "communication-waits", "waits", title, evidence, saved, saved),)


def waited_us(summary: Summary) -> float:
    """us that collectives waited for other ranks; 0 where no file tells."""
    sent = summary.profile.extras.get("communication", Table({}))
    elapsed, wait = (np.nan_to_num(sent.numbers(name)) for name in ("elapsed_us", "wait_us"))
    return float(np.minimum(wait, elapsed).sum())


def _retransmission(summary: Summary, sent: Table) -> tuple[Finding, ...]:
    elapsed = np.nan_to_num(sent.numbers("elapsed_us"))
    rows = sent.strings("transport").mask(("RDMA",)) & (elapsed > summary.thresholds.retransmission_us)
    if not rows.any():
        return ()
    worst, us = int(np.argmax(np.where(rows, elapsed, 0))), float(elapsed[rows].sum())
    evidence = say(
        "finding.rdma.evidence",
        name=sent.strings("name")[worst],
        us=float(elapsed[worst]),
        limit=summary.thresholds.retransmission_us,
    )
    title = say("finding.rdma", count=int(rows.sum()), us=us)
    return (_finding(summary, "rdma-retransmission", "rdma", title, evidence, us),)


def _packets(summary: Summary, packets: Table) -> tuple[Finding, ...]:
    """By their number: SDMA under 16 MB or RDMA under 1 MB; and no multiple of 512 bytes."""
    limits = summary.thresholds
    size, count, us = (np.nan_to_num(packets.numbers(name)) for name in ("bytes", "count", "total_us"))
    rdma = packets.strings("transport").mask(("RDMA",))
    small = (size > 0) & (size < np.where(rdma, limits.small_rdma, limits.small_sdma))
    unaligned = ~rdma & (size > limits.aligned_bytes) & (size % limits.aligned_bytes > 0)
    found = []
    for code, key, rows in (
        ("small-collectives", "collectives", small),
        ("unaligned-collectives", "unaligned", unaligned),
    ):
        taken = float(us[rows].sum())
        if taken < limits.worth_share * run_us(summary) or count[rows].sum() <= limits.packets_share * count.sum():
            continue
        title = say(f"finding.{key}", pct=100 * float(count[rows].sum()) / float(count.sum()), us=taken)
        evidence = _of_packets(key, packets, rows, size, us)
        found.append(_finding(summary, code, key, title, evidence, taken))
    return tuple(found)


def _of_packets(key: str, packets: Table, rows: Bools, size: Floats, us: Floats) -> Say:
    worst = int(np.argmax(np.where(rows, us, -1)))
    count = packets.numbers("count")
    sent, taken = float((size * count)[rows].sum()), float(us[rows].sum())
    return say(
        f"finding.{key}.evidence",
        name=packets.strings("name")[worst],
        count=int(count[worst]),
        size=float(size[worst]),
        transport=packets.strings("transport")[worst],
        gbps=sent / (taken * 1e3) if taken else None,
    )


def _link(summary: Summary, links: Table) -> tuple[Finding, ...]:
    """A link much slower than the mean of the others of its group and kind."""
    limits = summary.thresholds
    size, us = links.numbers("size_mb"), links.numbers("total_us")
    speed = np.where((size * 1e6 >= limits.link_bytes) & (us > 0), size * 1e3 / np.where(us > 0, us, 1), np.nan)
    slowest: tuple[float, int, float] | None = None
    keys = list(zip(links.strings("group").codes.tolist(), links.strings("transport").codes.tolist()))
    for key in set(keys):
        own = np.array([one == key for one in keys]) & np.isfinite(speed)
        if own.sum() < limits.links_least:
            continue
        at = int(np.argmin(np.where(own, speed, np.inf)))
        others = float((speed[own].sum() - speed[at]) / (own.sum() - 1))
        part = float(speed[at]) / others
        if part < limits.slow_link and (slowest is None or part < slowest[0]):
            slowest = part, at, others
    if slowest is None:
        return ()
    part, at, others = slowest
    title = say(
        "finding.link", source=int(links.numbers("source")[at]), target=int(links.numbers("target")[at]),
        gbps=float(speed[at]), others_gbps=others,
    )  # fmt: skip
    evidence = say(
        "finding.link.evidence", transport=links.strings("transport")[at], size=float(size[at]) * 1e6,
        us=float(us[at]), limit=100 * limits.slow_link,
    )  # fmt: skip
    lost = float(us[at]) * (1 - part)
    return (_finding(summary, "slow-link", "link", title, evidence, lost, lost),)


def _finding(
    summary: Summary, code: str, key: str, title: Say, evidence: Say, us: float, saving_us: float | None = None
) -> Finding:
    return Finding(
        code=code,
        severity=severity(summary, us),
        title=title,
        evidence=evidence,
        advice=say(f"finding.{key}.advice"),
        saving_us=saving_us,
        ops=leading_types(summary, summary.ops.strings("label").mask(("communication",))),
    )
