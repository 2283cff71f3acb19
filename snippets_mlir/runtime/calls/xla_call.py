"""Calls of a program from XLA's code: the handler, and the attributes of a call site.

    handler_address(minor)         the handler, for XLA's interface of version 0.minor
    attributes = call_site(program)

The handler (`codegen/stubs/xla_call.py`) finds the network by the two attributes of its call site:
`process`, a number that only this process has, and `program`, the address of the network's table.
An XLA executable may outlive its creator, so the network of a call site is never freed.
"""

from __future__ import annotations

import secrets
from ctypes import c_int32, c_int64
from functools import partial
from typing import TYPE_CHECKING

from snippets_mlir.codegen.locks import forever, once_after
from snippets_mlir.codegen.stubs.interface import PLAN
from snippets_mlir.codegen.stubs.objects import stub_object
from snippets_mlir.codegen.stubs.xla_interface import NEWEST
from snippets_mlir.runtime.arguments.arrays import address_of
from snippets_mlir.runtime.network import Network

if TYPE_CHECKING:
    from snippets_mlir.runtime.program import Program

_CODE = partial(stub_object, "xla")


@once_after(_CODE)
def _process() -> int:
    """The number of this process, which is passed to the handler."""
    number = secrets.randbits(63)
    c_int64.from_address(_CODE().address("snippets_process")).value = number
    return number


def handler_address(minor: int) -> int:
    """The address of the handler, compiled at the first call; it is the same for all programs.

    Args:
        minor: of the version 0.minor of XLA's interface in this process. The handler reports this
            version, or the newest version that it knows if that is older.
    """
    code = _CODE()
    c_int32.from_address(code.address("snippets_xla_minor")).value = min(minor, NEWEST)
    return code.address("snippets_xla")


def call_site(program: Program) -> dict[str, int]:
    """The attributes of a call of `program`, which has a table (`Program.has_table`).

    The interpreter's lock is only for steps that are objects of Python: XLA's threads do not have
    it.
    """
    network = forever(Network(program))
    calls_python = any(launch.team == 0 for launch in network.launches)
    network.words[PLAN.index("release")] = int(calls_python)
    return {"process": _process(), "program": address_of(network.words)}
