"""The cache on disk: its contents, its place, and how to empty it.

    python -m snippets_mlir.tools.cache            programs  12 entries  0.3 MiB ...
    python -m snippets_mlir.tools.cache --clear
    python -m snippets_mlir.tools.cache verify     hashes all again, removes damaged files

The directory is `SNIPPETS_CACHE_DIR`, else `$XDG_CACHE_HOME/snippets_mlir`, else
`~/.cache/snippets_mlir`; with an empty `SNIPPETS_CACHE_DIR` there is none.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import NoReturn

from snippets_mlir.support.errors import CompileError


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    try:
        args = _parsed(argv)
    except CompileError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
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


def _refuse(message: str) -> NoReturn:
    raise CompileError(f"{message}; see --help")


def _parsed(argv: Sequence[str] | None) -> Namespace:
    """The options; CompileError if they are wrong."""
    parser = ArgumentParser(
        prog="snippets-cache", description="Show what is cached on disk, or remove it."
    )
    parser.error = _refuse
    parser.add_argument(
        "command",
        nargs="?",
        metavar="verify",
        help="hash all entries, remove damaged files; the exit code is 1 if there are any",
    )
    parser.add_argument("--clear", action="store_true", help="remove all entries")
    args = parser.parse_args(argv)
    if args.command not in (None, "verify"):
        _refuse(f"expected the command verify or none, found '{args.command}'")
    if args.command is not None and args.clear:
        _refuse("--clear removes all entries, so there are none to verify: use one of them")
    return args


def _verify() -> int:
    """Remove damaged files; returns 1 if there are any."""
    from snippets_mlir.driver.cache.constant_files import damaged_files
    from snippets_mlir.driver.cache.program_cache import contents, refused_entries

    found = [(path, "hash that it is named for") for path in damaged_files()]
    foreign = 0
    for kind in ("objects", "programs"):
        refused = refused_entries(kind)
        found += [(path, "sum that it begins with") for path in refused.damaged]
        foreign += len(refused.foreign)
    for path, what in found:
        path.unlink(missing_ok=True)
        print(f"removed {path}: its contents do not have the {what}")
    entries = {kind: count for kind, count, _ in contents()}
    entries["programs"] -= foreign
    for kind, words in (("constants", "files of constants"), ("objects", ""), ("programs", "")):
        print(f"{entries[kind]} {words or kind} are undamaged")
    if foreign:
        print(f"{foreign} programs were made by other files of snippets_mlir; --clear removes them")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
