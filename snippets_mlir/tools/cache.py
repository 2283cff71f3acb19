"""The cache on disk: its contents, its place, and how to empty it.

    python -m snippets_mlir.tools.cache            programs  12 entries  0.3 MiB ...
    python -m snippets_mlir.tools.cache --clear
    python -m snippets_mlir.tools.cache verify     hashes all again, removes damaged files

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
    parser.add_argument(
        "command", nargs="?", choices=["verify"], help="hash all entries, remove damaged files"
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
    if args.command == "verify":
        return _verify()
    for kind, entries, size in contents():
        print(f"{kind:<10}{entries:>6} entries {size / (1 << 20):>8.1f} MiB")
    return 0


def _verify() -> int:
    """Remove constants and objects that are not what was written; 1 if there are any.

    Programs that no lookup takes stay: they may be those of another version, which does.
    """
    from snippets_mlir.driver.cache.constant_files import damaged_files
    from snippets_mlir.driver.cache.program_cache import contents, refused_entries

    found = [(path, "hash that it is named for") for path in damaged_files()]
    found += [(path, "sum that it begins with") for path in refused_entries("objects")]
    for path, what in found:
        path.unlink(missing_ok=True)
        print(f"removed {path}: its contents do not have the {what}")
    entries = {kind: count for kind, count, _ in contents()}
    print(f"{entries['constants']} files of constants are what was written")
    print(f"{entries['objects']} objects are what was written")
    refused = len(refused_entries("programs"))
    print(f"{entries['programs'] - refused} programs are what was written")
    if refused:
        print(f"{refused} programs are damaged or of another version; a lookup replaces them")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
