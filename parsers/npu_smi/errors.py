"""What npu-smi says instead of a table: its own sentences, DCMI codes and the shell's, turned into problems.

npu-smi prints its errors to stdout and may still exit with 0, so text counts more than the exit code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from npuscope.parsers.say import ParseError, Problem, Say, say

LONGEST_QUOTE = 160

_DCMI = re.compile(r"(?<![\w.-])-8[0-9]{3}(?![0-9])", re.ASCII)
# copies from web pages bring blanks that are no blanks, drawn lines instead of typed ones, and a byte order mark
_TYPED = {
    **dict.fromkeys(map(ord, "\u00a0\u3000\u2007\u202f"), " "),
    **dict.fromkeys(map(ord, "\u200b\ufeff"), None),
    **dict.fromkeys(map(ord, "│┃║｜"), "|"),
    **dict.fromkeys(map(ord, "─━"), "-"),
    ord("═"): "=",
    **dict.fromkeys(map(ord, "┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬╞╡╪"), "+"),
}
_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_PROMPT = re.compile(r"^(?:\[?[\w.-]+@[^#$>]*[#$]|\([^)]*\)\s*\S+@[^#$>]*[#$]|[#$])\s")

# DCMI codes whose meaning tells what to check; every other code gets the general hint
_DCMI_HINTS = frozenset((8001, 8002, 8005, 8006, 8007, 8008, 8012, 8013, 8015, 8016, 8017, 8020, 8255))

# the first pattern that matches a line decides: (what the line says, problem code, hint)
_KINDS = tuple(
    (re.compile(pattern, re.IGNORECASE), code, hint)
    for pattern, code, hint in (
        (r"command or option is not found|error parameter of|^\s*usage:", "unknown-layout", "smi.hint-old-tool"),
        (r"error while loading shared libraries|cannot open shared object", "not-found", "smi.hint-library"),
        (r"permission denied|operation not permitted|\broot (user|privilege|permission)", "permission",
         "smi.hint-permission"),
        (r"command not found|not found\s*$|no such file or directory", "not-found", "smi.hint-not-found"),
        (r"does not support querying|not supported", "no-chips", "smi.hint-unsupported"),
        (r"cannot be executed on a vm or container", "no-chips", "smi.hint-container"),
        (r"parameter is invalid|must select a card", "unknown-layout", "smi.hint-old-tool"),
        (r"^\s*failed to |\bfailed[. ,(]|\bfailed$|no device", "no-chips", "smi.hint-driver"),
    )
)  # fmt: skip
_INCOMPLETE = re.compile(r"driver package may not be completely installed", re.IGNORECASE)


def lines_of(text: str) -> list[str]:
    """Lines without colour codes, line ends and outer blanks. Only real line ends part lines."""
    return [line.strip() for line in _ANSI.sub("", text).translate(_TYPED).replace("\r", "\n").split("\n")]


def is_prompt(line: str) -> bool:
    """A shell prompt that was copied along with the output."""
    return bool(_PROMPT.match(line))


def quote(line: str) -> str:
    """A line short enough to stand in a sentence."""
    return line if len(line) <= LONGEST_QUOTE else line[: LONGEST_QUOTE - 1] + "…"


def dcmi_problems(lines: list[str]) -> Iterator[Problem]:
    """One problem per DCMI code, with the tool's own line."""
    seen: set[str] = set()
    for line in lines:
        for code in _DCMI.findall(line):
            if code not in seen:
                seen.add(code)
                number = -int(code)
                key = f"smi.hint-dcmi-{number}" if number in _DCMI_HINTS else "smi.hint-dcmi"
                yield Problem(f"dcmi{code}", say("smi.says", line=quote(line)), Say(key))


def remarks(text: str) -> tuple[Problem, ...]:
    """What a text says beside a readable table: DCMI codes and npu-smi's doubt about its driver package."""
    lines = lines_of(text)
    doubts = (line for line in lines if _INCOMPLETE.search(line))
    more = [Problem("incomplete-driver", say("smi.says", line=quote(line)), Say("smi.hint-driver")) for line in doubts]
    return (*dcmi_problems(lines), *more[:1])


def explain(text: str, returncode: int = 0, otherwise: Problem | None = None) -> tuple[Problem, ...]:
    """Why a text holds no chips. Always at least one problem; `otherwise` or the exit code where the text is silent."""
    known = remarks(text)
    if any(problem.code.startswith("dcmi") for problem in known):
        return known
    lines = [line for line in lines_of(text) if line and not is_prompt(line)]
    for pattern, code, hint in _KINDS:
        for line in lines:
            if pattern.search(line):
                return (Problem(code, say("smi.says", line=quote(line)), Say(hint)), *known)
    return (*known, otherwise) if otherwise else known or (_by_returncode(lines, shell_code(returncode)),)


def _by_returncode(lines: list[str], returncode: int) -> Problem:
    if returncode == 127:
        return Problem("not-found", say("smi.ended", returncode=returncode), Say("smi.hint-not-found"))
    if returncode == 126:
        return Problem("permission", say("smi.ended", returncode=returncode), Say("smi.hint-permission"))
    if not lines:
        key = "smi.ended" if returncode else "smi.silent"
        return Problem("no-chips", say(key, returncode=returncode), Say("smi.hint-driver"))
    return Problem("unknown-layout", say("smi.no-table", line=quote(lines[0])), Say("smi.hint-no-table"))


def shell_code(returncode: int) -> int:
    """The exit code as a shell shows it: a signal is 128 + its number."""
    return 128 - returncode if returncode < 0 else returncode


def nothing_in(text: str) -> ParseError:
    """The error of a sub-command's parser that found none of its lines."""
    return ParseError(explain(text)[0])
