"""Tokens of a decoder whose cache grows: `python -m models.decode NAME`.

Both sides run sequences of tokens alternately, and pass the cache of each call to the next one.
Every sequence begins with a longer cache than all earlier sequences have reached, so that all
shapes are new.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from statistics import mean, median
from time import perf_counter

import numpy as np

from models import child, imports, ours, store
from models.catalog import MODELS
from models.errors import error
from models.feeds import Array, Feed, random_of, tokens
from models.model import Decoder
from models.onnxruntime_session import Session

BLOCKS = 5
TOKENS = 34
FIRST = 2
"""Tokens of a sequence that do not count."""
SHORTEST = 16
PAUSE = 0.05
LIMIT = 40.0
"""Seconds after which a sequence ends early."""

Run = Callable[[Feed], dict[str, Array]]


def decode(say: child.Say, arguments: Sequence[str]) -> None:
    """Milliseconds of a token from the third on: medians over the sequences of their means."""
    (name,) = arguments
    decoder = MODELS[name].decoder
    if decoder is None:
        raise ValueError(f"{name} is no decoder")
    imports.load_ours()
    path = store.model_path(name)
    say({"stage": "load"})
    sides: dict[str, Run] = {"ours": ours.compiled(path).run, "onnxruntime": Session(path).run}
    seconds: dict[str, list[list[float]]] = {side: [] for side in sides}
    largest = 0.0
    for block in range(BLOCKS):
        first = first_feed(store.feeds_of(name)[0], decoder, SHORTEST + block * (TOKENS + 1))
        given = tokens(random_of(f"{name}{block}"), decoder.vocabulary, TOKENS, 1, 1)
        results: dict[str, list[Array]] = {}
        for side in list(sides)[:: 1 if block % 2 else -1]:
            say({"stage": f"sequence {block} of {side}"})
            time.sleep(PAUSE)
            spent, results[side] = sequence(sides[side], decoder, first, given)
            seconds[side].append(spent)
        pairs = zip(results["ours"], results["onnxruntime"], strict=False)
        largest = max(largest, *(error(found, right) for found, right in pairs))
        say({"error": largest, **summary(seconds)})


def first_feed(feed: Feed, decoder: Decoder, length: int) -> Feed:
    """`feed` with caches of `length`, which repeat their elements."""
    axis = decoder.length_dim
    places = np.arange(length)
    return feed | {
        name: feed[name].take(places % feed[name].shape[axis], axis) for name in decoder.caches
    }


def sequence(
    run: Run, decoder: Decoder, feed: Feed, given: Array
) -> tuple[list[float], list[Array]]:
    """The seconds of each token and its first result."""
    seconds: list[float] = []
    results: list[Array] = []
    for token in given:
        feed[decoder.tokens] = token
        start = perf_counter()
        found = run(feed)
        seconds.append(perf_counter() - start)
        feed = {name: found[f"{name}_new"] for name in decoder.caches}
        results.append(next(array for key, array in found.items() if not key.endswith("_new")))
        if sum(seconds) > LIMIT and len(seconds) > FIRST:
            break
    return seconds, results


def summary(seconds: dict[str, list[list[float]]]) -> child.Facts:
    """Milliseconds by side, the ratio, tokens a second, and the first two and slowest of ours."""
    found = {
        f"{side}_ms": median(mean(block[FIRST:]) for block in blocks) * 1e3
        for side, blocks in seconds.items()
    }
    mine = seconds["ours"]
    return {
        **found,
        "ratio": found["ours_ms"] / found["onnxruntime_ms"],
        "tokens_per_second": {side: 1e3 / found[f"{side}_ms"] for side in seconds},
        "first_tokens_ms": [second * 1e3 for second in mine[0][:FIRST]],
        "slowest_ms": max(max(block[FIRST:]) for block in mine) * 1e3,
        "tokens": sum(len(block) - FIRST for block in mine),
    }


if __name__ == "__main__":
    sys.exit(child.main(decode, sys.argv[1:]))
