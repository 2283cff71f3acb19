"""A model's first results in a new process: `python -m models.fresh ours|onnxruntime NAME`.

Imports come before the clock. The parent sets the folder of the cache, and so decides whether
programs come from the cache.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Protocol

from models import child, imports, ours, store
from models.feeds import Feed, shapes_of
from models.onnxruntime_session import Session


class Runs(Protocol):
    """A program of ours or a session of onnxruntime."""

    def run(self, feed: Feed, /) -> object:
        """Results by name."""
        ...


SIDES: dict[str, tuple[Callable[[], None], Callable[[Path], Runs]]] = {
    "ours": (imports.load_ours, ours.compiled),
    "onnxruntime": (imports.load_onnxruntime, Session),
}


def fresh(say: child.Say, arguments: Sequence[str]) -> None:
    """Milliseconds of loading (compiling), the first call, and the first of another shape."""
    side, name = arguments
    load_imports, load = SIDES[side]
    path, feeds = store.model_path(name), store.feeds_of(name)
    load_imports()
    say({"stage": "load"})
    start = perf_counter()
    program = load(path)
    loaded = perf_counter()
    say({"load_ms": (loaded - start) * 1e3, "stage": "first call"})
    start = perf_counter()
    program.run(feeds[0])
    say({"first_ms": (perf_counter() - start) * 1e3, "stage": "new shape"})
    other = of_other_shape(feeds)
    if other is not None:
        start = perf_counter()
        program.run(other)
        say({"new_shape_ms": (perf_counter() - start) * 1e3})


def of_other_shape(feeds: Sequence[Feed]) -> Feed | None:
    """The first feed whose shapes are not those of the first one."""
    shapes = shapes_of(feeds[0])
    return next((feed for feed in feeds if shapes_of(feed) != shapes), None)


if __name__ == "__main__":
    sys.exit(child.main(fresh, sys.argv[1:]))
