"""The palette (ctrl+p): every screen, theme and action by name; operators too, where a table of them is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, cast

from rich.text import Text
from textual.command import DiscoveryHit, Hit, Hits, Provider

from npuscope.tui import theming
from npuscope.tui.text import t

if TYPE_CHECKING:
    from npuscope.tui.app import NpuscopeApp

Command = tuple[str, str, Callable[[], object]]


class Commands(Provider):
    """What the palette offers."""

    def _commands(self) -> Iterator[Command]:
        app = cast("NpuscopeApp", self.app)
        for mode, key in app.TABS:
            yield t("tab." + mode), t("palette.screen", key=key), partial(app.action_go, mode)
        page_keys: Sequence[tuple[str, str, str]] = getattr(self.screen, "keys", tuple)()
        for key, meaning, action in page_keys:
            yield t(meaning), t("palette.key", key=key), partial(self.screen.run_action, action)
        for name in theming.names():
            yield t("palette.theme", name=name), t("palette.theme_help"), partial(app.action_use_theme, name)
        yield t("key.help"), t("palette.key", key="?"), app.action_help
        yield t("key.export"), t("palette.key", key="e"), app.action_export
        yield t("key.redraw"), t("palette.key", key="ctrl+l"), app.action_redraw
        yield t("key.quit"), t("palette.key", key="q"), app.action_quit

    async def discover(self) -> Hits:
        """All of them, before anything is typed."""
        for name, text, run in self._commands():
            yield DiscoveryHit(name, run, help=text)

    async def search(self, query: str) -> Hits:
        """Those that match."""
        matcher = self.matcher(query)
        named: Callable[[], Iterable[Command]] = getattr(self.screen, "named", tuple)
        for name, text, run in (*named(), *self._commands()):
            score = matcher.match(name)
            if score > 0:
                # a name from a file may look like markup, which highlight() would read
                shown = Text(name) if "[" in name else matcher.highlight(name)
                yield Hit(score, shown, run, text=name, help=text)
