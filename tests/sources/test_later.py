"""A source that is made when it is needed."""

from __future__ import annotations

from npuscope.sources.later import LaterSource


class Noted:
    """A source that notes what it is asked."""

    def __init__(self) -> None:
        self.asked = []

    def lead(self):
        self.asked.append("lead")
        return ["reading"]

    def start(self, callback):
        self.asked.append(callback)

    def stop(self):
        self.asked.append("stop")


def test_it_is_made_once_and_asked_everything():
    made = []

    def make():
        made.append(Noted())
        return made[-1]

    source = LaterSource(make)
    assert made == []
    assert source.lead() == ["reading"]
    source.start(print)
    source.stop()
    assert [one.asked for one in made] == [["lead", print, "stop"]]


def test_stopping_what_was_never_started_makes_nothing():
    LaterSource(lambda: 1 / 0).stop()
