"""Whether two records hold the same: tables have no == of their own, and NaN is not equal to itself."""

from __future__ import annotations

import json
from typing import Any

from npuscope.sources.records import pack


def spelled(record: Any) -> str:
    """A record as text, with every value and dtype of its tables."""
    return json.dumps(pack(record, lambda array: [array.dtype.str, array.tolist()]))
