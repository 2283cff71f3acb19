"""Work that a program needs only later is done after its first call.

    store(size, write)       writes a program down at once, or in a thread
    later(work)              in a thread, which begins `DELAY` later
    written()                a lookup waits for what is written
    finish()                 waits for all that is on its way

Hashing and writing 16 MiB take 30 ms, and 1 MiB takes 2 ms; the first call does not wait for this.
The thread is not a daemon: a process that ends finishes writing first. A process that is killed
leaves no entry, or the file of constants without an entry, which the next compilation finds.

The thread needs the interpreter's lock, and a call that waits for it takes up to Python's switch
interval, 5 ms. So the thread begins when the first call has probably returned.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from queue import Empty
from threading import Thread
from typing import Any

from snippets_mlir.codegen.locks import Line, new_line
from snippets_mlir.driver.building.built import Built

LATER = 1 << 20
"""Bytes of constants, or of a model, from which a program is written down later."""

DELAY = 0.02
"""Seconds after which a thread begins, unless somebody waits for it."""

_Thread = tuple[Thread, Line[Any]]
"""A thread, and what makes it begin at once."""

_ON_THE_WAY: list[_Thread] = []
"""Threads that write. Without a lock, which `os.fork` would copy as it is; the operations on it are
atomic.
"""

_OPTIONAL: list[_Thread] = []
"""Threads whose work no lookup waits for (`optional_work.py`)."""


def constant_bytes(built: Built) -> int:
    """Bytes of the constants of a program."""
    return sum(array.nbytes for array in built.program.constants.values())


def store(size: int, write: Callable[[], None]) -> None:
    """Write `size` bytes of a program down; `write` changes nothing but files."""
    if size < LATER:
        write()
    else:
        later(write)


def later(work: Callable[[], None], *, optional: bool = False) -> None:
    """Do `work` in a thread, after the first call or when somebody waits for it.

    Threads work in the order in which they were begun, those for optional work on their own.
    """
    others = _OPTIONAL if optional else _ON_THE_WAY
    begin, earlier = new_line(), [thread for thread, _ in others]

    def run() -> None:
        """What the thread does."""
        try:
            with suppress(Empty):
                begin.get(timeout=DELAY)
            for thread in earlier:
                thread.join()
            work()
        finally:
            _forget(found, others)

    found = Thread(target=run, name="snippets-store"), begin
    others.append(found)
    try:
        found[0].start()
    except RuntimeError:  # the interpreter ends
        _forget(found, others)
        work()


def _forget(found: _Thread, others: list[_Thread]) -> None:
    with suppress(ValueError):  # somebody waits for it
        others.remove(found)


def finish() -> None:
    """Wait until all that is on its way is done, also optional work."""
    written()
    written(_OPTIONAL)


def written(others: list[_Thread] = _ON_THE_WAY) -> None:
    """Wait until all that is on its way to the cache is there."""
    while others:
        try:
            thread, begin = others.pop()
        except IndexError:  # another thread was faster
            return
        if thread.is_alive():  # not in a child made by `os.fork`
            begin.put(None)
            thread.join()
