"""Archives by their names: which files are some, and paths that lead into them. Opens none."""

from __future__ import annotations

from pathlib import Path

SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")


def stem_of(name: str) -> str | None:
    """A file's name without the suffix of an archive; None when it has none."""
    lower = name.casefold()
    suffix = max((suffix for suffix in SUFFIXES if lower.endswith(suffix)), key=len, default="")
    return name[: -len(suffix)] if suffix and len(name) > len(suffix) else None


def inside(path: str) -> tuple[Path, str] | None:
    """The archive that a path leads into, and the rest of the path ("" for all of it); None when it leads into none."""
    whole = Path(path)
    for part in (whole, *whole.parents):
        if stem_of(part.name) is not None and part.is_file():
            rest = whole.relative_to(part).as_posix()
            return part, "" if rest == "." else rest
    return None


def exists(path: Path) -> bool:
    """Whether a path is there, or leads into an archive that is."""
    return path.exists() or inside(str(path)) is not None


def is_compressed_tar(path: Path) -> bool:
    """Whether the names in it can only be had by reading all of it."""
    return not path.name.casefold().endswith((".zip", ".tar"))
