"""What of the session a screen is told of."""

from __future__ import annotations

import enum


class Part(enum.Flag):
    """What of the session changed."""

    READINGS = enum.auto()
    RUNS = enum.auto()
    SUMMARY = enum.auto()
    LOOK = enum.auto()
    ALL = READINGS | RUNS | SUMMARY | LOOK
