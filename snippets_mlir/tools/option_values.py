"""Values on command lines: numbers of seeds, `true` and `false`; argparse reports errors."""

from __future__ import annotations

from argparse import ArgumentTypeError


def seed_number(text: str) -> int:
    """The number of `--seed` or `--check-seed`; NumPy takes no negative ones."""
    try:
        number = int(text)
    except ValueError:
        number = -1
    if number < 0:
        raise ArgumentTypeError(f"expected a number of 0 or more, found '{text}'")
    return number


def true_or_false(text: str) -> bool:
    """The value of a switch; without text it is on."""
    if text in ("true", "1", ""):
        return True
    if text in ("false", "0"):
        return False
    raise ArgumentTypeError(f"expected true or false, got '{text}'")
