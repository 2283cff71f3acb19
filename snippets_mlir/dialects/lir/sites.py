"""Records that a kernel writes before each memory access for the segfault detector.

Before an access with `lir.site = "lir.load of %x at model.mlir:3:8"`, the kernel records it. The
kernel has one more array, after its outputs and counters, with a record for each thread. A record
consists of 64-bit integers: the thread's own pointer (0 while no kernel runs on it), the number of
the site, counted from 1, the accessed address, a free integer, and the counters of the enclosing
loops, outermost first, at most `MAX_LOOPS`. The function names its sites in `snippets.sites`: each
is an array of the text and of the names of its loops.

Source: the guide's segfault detector.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Operation

from snippets_mlir.dialects.lir.kernel import KernelOp

SITE = "lir.site"
SITES = "snippets.sites"

THREAD, NUMBER, ADDRESS, FIRST_LOOP = 0, 1, 2, 4
RECORD_WORDS = 16
MAX_LOOPS = RECORD_WORDS - FIRST_LOOP


def site_of(op: Operation) -> str | None:
    """The site of an access; None if it has none."""
    attr = op.attributes.get(SITE)
    return attr.data if isinstance(attr, StringAttr) else None


def has_sites(kernel: KernelOp) -> bool:
    """Whether some access of a kernel has a site."""
    return any(SITE in op.attributes for op in kernel.block.ops)


def sites_attr(sites: Sequence[Sequence[str]]) -> ArrayAttr[ArrayAttr[StringAttr]]:
    """The attribute `snippets.sites` of a function."""
    return ArrayAttr([ArrayAttr([StringAttr(text) for text in site]) for site in sites])


def named_sites(function: Operation) -> list[list[str]]:
    """The sites that the function of a kernel names, maybe none."""
    attr = function.attributes.get(SITES)
    if not isinstance(attr, ArrayAttr):
        return []
    sites = cast("ArrayAttr[ArrayAttr[StringAttr]]", attr)
    return [[text.data for text in site] for site in sites]
