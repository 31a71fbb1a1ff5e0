"""What threads and children tell the application: one frozen record per message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:  # records, numpy: not before the first frame
    from npuscope.parsers.profile import Run
    from npuscope.parsers.readings import Reading
    from npuscope.sources.worker import Answer


class ReadingArrived(Message):
    """A reading; one that was not handled yet is replaced by the next."""

    def __init__(self, reading: Reading) -> None:
        super().__init__()
        self.reading = reading

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, ReadingArrived)


class RunsFound(Message):
    """The runs under the watched folders, newest first, how they are watched, and the folders closed to this user."""

    def __init__(self, runs: tuple[Run, ...], watched: str, closed: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.runs = runs
        self.watched = watched
        self.closed = closed

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, RunsFound)


class WorkerAnswered(Message):
    """The child process finished, failed or got on with a job."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.answer = answer


class OpenRun(Message):
    """A screen asks for a profile."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        self.run = run


class WantHeadlines(Message):
    """A list shows these runs and knows nothing about their contents yet."""

    def __init__(self, runs: tuple[Run, ...]) -> None:
        super().__init__()
        self.runs = runs


class KeyChosen(Message):
    """A key of the footer was clicked."""

    def __init__(self, action: str) -> None:
        super().__init__()
        self.action = action


class TabChosen(Message):
    """A tab was clicked."""

    def __init__(self, mode: str) -> None:
        super().__init__()
        self.mode = mode
