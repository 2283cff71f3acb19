"""Programs with many constants are stored after `compile` has returned.

    store(size, write)       at once, or in a thread
    finish()                 a lookup waits for what is on its way

Hashing and writing 300 MB takes half a second, and 16 MiB take 30 ms; the first call does not wait
for this. The thread is not a daemon: a process that ends finishes writing first. A process that is
killed leaves no entry, or the file of constants without an entry, which the next compilation finds.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread

from snippets_mlir.driver.building.built import Built

LATER = 1 << 24
"""Bytes of constants, or of a model, from which a program is written down later."""

_ON_THE_WAY: list[Thread] = []
"""Without a lock, which `os.fork` would copy as it is; the operations on it are atomic."""


def constant_bytes(built: Built) -> int:
    """Bytes of the constants of a program."""
    return sum(array.nbytes for array in built.program.constants.values())


def store(size: int, write: Callable[[], None]) -> None:
    """Write `size` bytes of a program down; `write` changes nothing but files."""
    if size < LATER:
        write()
        return
    thread = Thread(target=write, name="snippets-store")
    try:
        thread.start()
    except RuntimeError:  # the interpreter ends
        write()
    else:
        _ON_THE_WAY.append(thread)


def finish() -> None:
    """Wait until all that is on its way is written."""
    while _ON_THE_WAY:
        try:
            thread = _ON_THE_WAY.pop()
        except IndexError:  # another thread was faster
            return
        thread.join()
