"""Inputs of the models: random numbers of a fixed seed that look like what a model expects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Feed = dict[str, Array]
Random = np.random.Generator
Feeds = Callable[[Random], list[Feed]]

SAMPLE_RATE = 16000


def random_of(name: str) -> Random:
    """Random numbers that are the same in every process for the same name."""
    return np.random.default_rng(crc32(name.encode()))


def normal(random: Random, *shape: int) -> Array:
    """A float32 array of normally distributed numbers."""
    return random.standard_normal(shape).astype(np.float32)


def uniform(random: Random, *shape: int) -> Array:
    """A float32 array of numbers uniform between 0 and 1."""
    return random.random(shape).astype(np.float32)


def tokens(random: Random, vocabulary: int, *shape: int) -> Array:
    """Int64 from 1 up to `vocabulary`, which is excluded."""
    return random.integers(1, vocabulary, shape).astype(np.int64)


def sentences(vocabulary: int, *shapes: tuple[int, int]) -> Feeds:
    """Inputs `ids` and `mask` for each batch and length, as `sentence`."""
    return lambda random: [sentence(random, vocabulary, *shape) for shape in shapes]


def sentence(random: Random, vocabulary: int, batch: int, length: int) -> Feed:
    """Token numbers and a mask; the last sentence of the batch has three quarters of the length."""
    mask = np.ones((batch, length), np.int64)
    mask[-1, length * 3 // 4 :] = 0
    return {"ids": tokens(random, vocabulary, batch, length), "mask": mask}


def audio(random: Random, samples: int) -> Array:
    """A tone of 220 Hz with noise, float32, 16000 samples a second."""
    seconds = np.arange(samples) / SAMPLE_RATE
    tone = 0.3 * np.sin(2 * np.pi * 220 * seconds)
    return (tone + 0.05 * random.standard_normal(samples)).astype(np.float32)


def page(random: Random, batch: int, channels: int, height: int, width: int) -> Array:
    """White paper with rows of dark strokes, float32 from -1 to 1 and a little noise."""
    image = np.ones((batch, channels, height, width), np.float32)
    for top in range(10, height - 18, 30):
        for left in range(12, width - 14, 9):
            bottom, right = top + random.integers(6, 16), left + random.integers(2, 6)
            image[:, :, top:bottom, left:right] = -0.9
    return image + normal(random, *image.shape) * np.float32(0.02)


def normal_of(name: str, *shapes: tuple[int, ...]) -> Feeds:
    """A feed for each shape of the single input `name`, normally distributed."""
    return lambda random: [{name: normal(random, *shape)} for shape in shapes]


def shapes_of(feed: Mapping[str, Array]) -> dict[str, tuple[int, ...]]:
    """The shape of each input, by name."""
    return {name: array.shape for name, array in feed.items()}
