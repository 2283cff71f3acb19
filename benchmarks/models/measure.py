"""Values, facts and times of a model: `python -m models.measure NAME`.

All feeds are run and compared with onnxruntime, then the first one again; then this project's
programs and onnxruntime alternate in five blocks of calls with the first feed.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence

from timing import Call, Effort
from timing import measure as times_of

from models import child, ours, store
from models.errors import worst
from models.feeds import Array, Feed, shapes_of
from models.model import package
from models.onnxruntime_session import Session
from snippets_mlir.driver.compiled import Compiled

EFFORT = Effort(rounds=5, block=0.15, pause=0.03, dropped=2)
ONNXRUNTIME = "onnxruntime"

Results = Mapping[str, Array]


def measure(say: child.Say, arguments: Sequence[str]) -> None:
    """Print the results, stage by stage."""
    (name,) = arguments
    path, feeds = store.model_path(name), store.feeds_of(name)
    say({"stage": "onnxruntime", "megabytes": path.stat().st_size / 2**20})
    say({"nodes": len(package("onnx").load(str(path)).graph.node)})
    session = Session(path)
    expected = [session.run(feed) for feed in feeds]

    say({"stage": "compile"})
    programs = {"ours": ours.compiled(path)}
    error, where = largest_error(programs["ours"], feeds, expected, say)
    say({"error": error, "where": where, **ours.facts(programs["ours"])})

    say({"stage": "other settings"})
    best: dict[str, child.Facts] = {}
    for settings in filter(ours.is_known, ours.WITH_KERNELS):
        key = str(dict(settings))
        program = ours.compiled(path, settings)
        error, _ = largest_error(program, feeds, expected, say)
        if program.kernels:
            programs[key] = program
            best[key] = {"settings": settings, "kernels": len(program.kernels), "error": error}

    say({"stage": "time"})
    feed = feeds[0]
    calls = {key: _call(program, feed) for key, program in programs.items()}
    times = times_of({**calls, ONNXRUNTIME: lambda: session.run(feed)}, EFFORT)
    theirs = times[ONNXRUNTIME].median
    ratios = {key: times[key].median / theirs for key in programs}
    say(
        {
            "ours_ms": times["ours"].median * 1e3,
            "onnxruntime_ms": theirs * 1e3,
            "spread": max(times["ours"].spread, times[ONNXRUNTIME].spread),
            "ratio": ratios["ours"],
        }
    )
    if best:
        quickest = min(best, key=lambda key: ratios[key])
        say({"with_kernels": {**best[quickest], "ratio": ratios[quickest]}})


def largest_error(
    program: Compiled,
    feeds: Sequence[Feed],
    expected: Sequence[Results],
    say: child.Say,
) -> tuple[float | None, str]:
    """The largest error over the feeds and the first feed again, and its output; None is
    infinity.
    """
    again = [0] if len(feeds) > 1 else []
    largest, where = -1.0, ""
    for index in (*range(len(feeds)), *again):
        shapes = ", ".join(f"{k} {list(s)}" for k, s in shapes_of(feeds[index]).items())
        say({"stage": f"call with {shapes}"})
        error, output = worst(program.run(feeds[index]), expected[index])
        if error > largest:
            largest, where = error, f"{output} of feed {index}"
    return (largest if math.isfinite(largest) else None), where


def _call(program: Compiled, feed: Feed) -> Call:
    arrays = [feed[spec.name] for spec in program.inputs]
    return lambda: program(*arrays)


if __name__ == "__main__":
    sys.exit(child.main(measure, sys.argv[1:]))
