"""The cache on disk: what it holds, where, and how to empty it.

    python -m snippets_mlir.tools.cache            programs  12 entries  0.3 MiB ...
    python -m snippets_mlir.tools.cache --clear

The directory is `SNIPPETS_CACHE_DIR`, else `$XDG_CACHE_HOME/snippets_mlir`, else
`~/.cache/snippets_mlir`; with an empty `SNIPPETS_CACHE_DIR` there is none.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; its exit code."""
    parser = ArgumentParser(
        prog="snippets-cache", description="Show what is cached on disk, or remove it."
    )
    parser.add_argument("--clear", action="store_true", help="remove all entries")
    args = parser.parse_args(argv)
    from snippets_mlir.driver.cache.program_cache import cache_directory, clear, contents

    directory = cache_directory()
    if directory is None:
        print("the cache is off: SNIPPETS_CACHE_DIR is empty")
        return 0
    print(directory)
    if args.clear:
        print(f"removed {clear()} entries")
        return 0
    for kind, entries, size in contents():
        print(f"{kind:<9}{entries:>6} entries {size / (1 << 20):>8.1f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
