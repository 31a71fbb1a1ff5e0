"""The AI CPU as the first thing to mend: where the run waits for it longer than any kernel could give back."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.first_look.records import Lead
from npuscope.analysis.summary import Summary
from npuscope.parsers.profile import UNKNOWN


def lead(summary: Summary, of_us: float) -> Lead | None:
    """The type there that takes most, with the time in which nothing ran beside the AI CPU; of_us = the run's.

    None where that is too little for a finding, or under the share from which it is worth attention.
    """
    found = next((one for one in summary.findings if one.code == "ai-cpu"), None)
    if found is None or not found.saving_us or found.saving_us < summary.thresholds.ai_cpu_share * of_us:
        return None
    rows = summary.ops.strings("label").mask(("ai_cpu",))
    us = np.where(rows, np.nan_to_num(summary.ops.numbers("duration_us")), 0.0)
    by_type = np.bincount(summary.ops.numbers("type_row"), weights=us)
    return Lead("ai_cpu", int(by_type.argmax()) if len(by_type) else UNKNOWN, found.saving_us, of_us)
