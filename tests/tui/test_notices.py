"""Notices over the screen: short, in our signs, and out of the way."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("severity", ["information", "warning", "error"])
async def test_a_notice_is_plain_ascii_and_takes_one_line(live, severity):
    app = live.Box(ascii_only=True)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await live.settled(pilot)
        before = app.text()
        app.notify("Written: npuscope-1.txt", severity=severity, markup=False)
        await live.settled(pilot)
        after = app.text()
        assert any("Written: npuscope-1.txt" in line for line in after)
        assert "".join(after).isascii()
        assert sum(one != other for one, other in zip(before, after)) <= 2
