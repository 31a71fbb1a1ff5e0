"""Steps that take very different times, and devices of one program of which one is late."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import totalled
from npuscope.analysis.chips import Chip
from npuscope.analysis.findings.common import duration, kernels, severity
from npuscope.analysis.summary import Finding, Summary
from npuscope.parsers.say import say


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`unsteady-steps`, `late-device`."""
    return (*_steps(summary), *_devices(summary))


def _steps(summary: Summary) -> tuple[Finding, ...]:
    """The first step warms up and does not count."""
    limits = summary.thresholds
    whole = [(one.us, one.step) for one in summary.steps[1:] if one.complete and np.isfinite(one.us)]
    us = np.array([one[0] for one in whole])
    if len(us) < limits.steps_least or us.std() <= limits.step_variation * us.mean():
        return ()
    usual = float(np.median(us))
    lost, worst = float(np.maximum(us - usual, 0).sum()), int(np.argmax(us))
    return (
        Finding(
            code="unsteady-steps",
            severity=severity(summary, lost),
            title=say("finding.steps", pct=100 * float(us.std() / us.mean()), us=lost),
            evidence=say(
                "finding.steps.evidence",
                steps=len(us),
                median_us=usual,
                step=whole[worst][1],
                us=float(us[worst]),
                limit=100 * limits.step_variation,
            ),
            advice=say("finding.steps.advice"),
            saving_us=lost,
        ),
    )


def _devices(summary: Summary) -> tuple[Finding, ...]:
    """Only of devices that ran as many kernels: of one program, by what they computed. Communication takes as long on
    all of them: the others wait in it.
    """
    limits, device = summary.thresholds, summary.ops.numbers("device")
    known = kernels(summary) & (device >= 0)
    if not known.any() or device.min() == device.max():
        return ()
    names, place = np.unique(device[known], return_inverse=True)
    if len(names) < limits.devices_least or len(set(np.bincount(place).tolist())) > 1:
        return ()
    busy = totalled(place.reshape(-1), len(names), duration(summary)[known])
    if np.ptp(busy) <= limits.device_spread * busy.mean():
        return ()
    at = int(np.argmax(busy))
    late = float(busy[at] - np.median(np.delete(busy, at)))
    return (
        Finding(
            code="late-device",
            severity=severity(summary, late),
            title=say("finding.device", device=int(names[at]), us=late),
            evidence=say(
                "finding.device.evidence",
                low_us=float(busy.min()),
                high_us=float(busy[at]),
                devices=len(busy),
                limit=100 * limits.device_spread,
            ),
            advice=say("finding.device.advice"),
            saving_us=late,
        ),
    )
