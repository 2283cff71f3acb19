"""Vectorize random affine nests and compare them with the scalar ones.

    PYTHONPATH=.:test/support .venv/bin/python docs/dev/fuzz_nests.py [--count 5000] [--kernels]

A nest of depth 1 to 4, with up to 6 accesses (see `test/support/random_nests.py`), is run by the
oracle of the tests before and after `affine-super-vectorize`; results have to be equal, and nothing
undefined may happen. A difference is printed with its seed, its pass and its text. 5000 take about
six minutes. With `--kernels` the vectorized nest runs as machine code instead, which takes longer;
`--first` is the first seed.
"""

# pyright: basic

from __future__ import annotations

import argparse
import sys
import time

from nest_checks import check_kernel, check_nest
from random_nests import random_nest


def main() -> int:
    """Check nests, report differences."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--kernels", action="store_true")
    arguments = parser.parse_args()
    check = check_kernel if arguments.kernels else check_nest
    vectorized, different, start = 0, 0, time.monotonic()
    for seed in range(arguments.first, arguments.first + arguments.count):
        try:
            vectorized += check(random_nest(seed))
        except AssertionError as error:
            different += 1
            print(error, *getattr(error, "__notes__", ()), sep="\n")
    seconds = time.monotonic() - start
    print(f"{arguments.count} nests, {vectorized} vectorized, {different} different", end="")
    print(f" ({seconds:.0f} s)")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
