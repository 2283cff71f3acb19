"""Parts of a Markdown report, and documents that hold one."""

from __future__ import annotations

import math
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path


def marks(part: str = "tables") -> tuple[str, str]:
    """The two comments around a part of a document."""
    return f"<!-- {part}: begin -->", f"<!-- {part}: end -->"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; the first column is text, the others numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def duration(seconds: float) -> str:
    """A time in us, ms or s with three digits."""
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        value = seconds * scale
        if value >= 1 or unit == "us":
            return f"{value:.3g} {unit}" if value < 1000 else f"{value:.0f} {unit}"
    raise AssertionError(seconds)


def geometric_mean(values: Sequence[float]) -> float:
    """The n-th root of the product."""
    return math.exp(sum(map(math.log, values)) / len(values))


def document(part: str = "tables") -> Callable[[str], Path]:
    """The type of an option: a document with the marks of a part, checked before a long run."""

    def checked(name: str) -> Path:
        try:
            between_marks(Path(name), part)
        except (OSError, UnicodeDecodeError) as error:
            raise ArgumentTypeError(f"cannot read {name}: {error}") from error
        except SystemExit as error:
            raise ArgumentTypeError(str(error)) from error
        return Path(name)

    return checked


def between_marks(document: Path, part: str = "tables") -> str:
    """What is between the marks of a part of `document`; SystemExit if a mark is missing."""
    begin, end = marks(part)
    _, _, rest = document.read_text(encoding="utf-8").partition(begin)
    text, found, _ = rest.partition(end)
    if not found:
        raise SystemExit(f"{document} has not the two marks {begin} and {end}")
    return text


def write_between_marks(document: Path, tables: str, part: str = "tables") -> None:
    """Replace what is between the marks of a part of `document`; the rest is not changed."""
    text = document.read_text(encoding="utf-8")
    begin, end = marks(part)
    before, _, rest = text.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f"{document} has not the two marks {begin} and {end}")
    document.write_text(f"{before}{begin}\n\n{tables}\n{end}{after}", encoding="utf-8")
