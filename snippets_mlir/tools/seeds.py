"""Seeds on command lines: `--seed`, `--check-seed`. NumPy takes no negative ones."""

from __future__ import annotations

from argparse import ArgumentTypeError


def seed_number(text: str) -> int:
    """The number of a seed; what argparse makes an error if it is none."""
    try:
        number = int(text)
    except ValueError:
        number = -1
    if number < 0:
        raise ArgumentTypeError(f"expected a number of 0 or more, found '{text}'")
    return number
