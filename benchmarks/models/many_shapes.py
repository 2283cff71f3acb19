"""Memory of a program that is called with 1000 shapes.

    python -m models.many_shapes ours|onnxruntime NAME SECONDS

The largest shapes come first, so that later growth is memory that is kept for each shape.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from time import perf_counter

from models import child, store
from models.bars import SHAPES
from models.catalog import MODELS
from models.feeds import random_of
from models.fresh import SIDES

MARKS = (1, 10, 50, 100, 250, 500, 750, SHAPES)


def resident() -> float:
    """MiB of memory that the process has now."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def many_shapes(say: child.Say, arguments: Sequence[str]) -> None:
    """Memory after some of the calls, until all have run or the time is up."""
    side, name, limit = arguments
    feeds = MODELS[name].many_shapes
    if feeds is None:
        raise ValueError(f"{name} has no list of shapes")
    load_imports, load = SIDES[side]
    load_imports()
    say({"stage": "load", "before": resident()})
    program = load(store.model_path(name))
    memory: dict[int, float] = {}
    start = perf_counter()
    for count, feed in enumerate(islice(feeds(random_of(name)), SHAPES), 1):
        program.run(feed)
        seconds = perf_counter() - start
        late = seconds > float(limit)
        if count in MARKS or late:
            memory[count] = resident()
            say({"stage": f"shape {count}", "shapes": count, "seconds": seconds, "memory": memory})
        if late:
            break


if __name__ == "__main__":
    sys.exit(child.main(many_shapes, sys.argv[1:]))
