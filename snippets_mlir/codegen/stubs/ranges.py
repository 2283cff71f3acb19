"""`snippets_range`: one thread's range of a kernel, begun at a cache line.

    typedef void Kernel(const Args *args, int64_t begin, int64_t end, int64_t thread);

    void snippets_range(Kernel *kernel, const Args *args, int64_t begin, int64_t end,
                        int64_t thread, int64_t grain, int64_t aligned) {
      if (begin >= end) return;
      int64_t whole = (end - begin) / grain, head = 0;
      if (aligned && whole >= LEAST_GRAINS) head = elements_to_the_line(args, begin, aligned);
      if (head) kernel(args, begin, begin + grain, thread);
      int64_t start = begin + head, inner = (whole - 1) * grain;
      kernel(args, start, head ? start + inner : end, thread);
      if (head) kernel(args, begin + inner, end, thread);
    }

    int64_t elements_to_the_line(const Args *args, int64_t begin, int64_t aligned) {
      int64_t bytes = aligned & 255, array = (int64_t)args->data[aligned >> 8];
      int64_t missing = -(array + begin * bytes) & (LINE - 1);
      return missing % bytes ? 0 : missing / bytes;
    }

It calls the kernel for `[begin, end)`, where `begin` is a multiple of `grain`. With `aligned` 0
this is one call. Otherwise `aligned` is `array << 8 | bytes`: the kernel states
(`snippets.aligned`) that its ranges may begin anywhere, and that it reads element `i`, of `bytes`
bytes, of `data[array]` for element `i` of its domain. If that array is not on a cache line at
`begin`, and the range has at least `LEAST_GRAINS` whole grains, it runs as

    [begin, begin + grain)      [begin + k, end' - grain + k)      [end' - grain, end)

`k` elements after `begin` the array is on a cache line, and `end'` is the end of the last whole
grain. The parts overlap, and elements in overlaps are computed twice, with the same values: a
kernel's outputs share no byte with its inputs or with each other, and no other thread has elements
of this range. A tail is computed once, by the last part: the middle part never ends at the end of
the domain.

The reason: an unaligned vector of 64 bytes always spans two cache lines (docs/kernels.md).
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from snippets_mlir.codegen.stubs.builder import Body, Module
from snippets_mlir.codegen.stubs.expressions import I64, POINTER
from snippets_mlir.codegen.stubs.interface import ARGS, LEAST_GRAINS, LINE

RANGE = "snippets_range"


def add_range(module: Module, linkage: str = "external") -> None:
    """Add `snippets_range`, which begins a range at a cache line."""
    body = module.function(RANGE, [POINTER, POINTER, *[I64] * 5], linkage=linkage)
    kernel, args, begin, end, thread, grain, aligned = body.arguments
    with body.when(body.compare("uge", begin, end)):
        body.end()
    whole = body.divide(body.subtract(end, begin), grain)
    asked = body.compare("ne", aligned, 0)
    enough = body.compare("uge", whole, LEAST_GRAINS)
    (head,) = body.choose(
        body.both(asked, enough),
        lambda: _elements_to_the_line(body, args, begin, aligned),
        lambda: body.integer(0),
    )
    shifted = body.compare("ne", head, 0)
    with body.when(shifted):
        body.call_at(kernel, args, begin, body.add(begin, grain), thread)
    start = body.add(begin, head)
    inner = body.multiply(body.subtract(whole, 1), grain)
    stop = body.select(shifted, body.add(start, inner), end)
    body.call_at(kernel, args, start, stop, thread)
    with body.when(shifted):
        body.call_at(kernel, args, body.add(begin, inner), end, thread)
    body.end()


def _elements_to_the_line(
    body: Body, args: SSAValue, begin: SSAValue, aligned: SSAValue
) -> SSAValue:
    """The number of elements from `begin` to the next cache line; 0 if `begin` is on one, or no
    element begins on one.
    """
    bytes = body.both(aligned, 255)
    data = body.get(args, ARGS, "data")
    array = body.item(data, I64, body.shift_right(aligned, 8))
    address = body.add(array, body.multiply(begin, bytes))
    missing = body.both(body.subtract(0, address), LINE - 1)
    reachable = body.compare("eq", body.remainder(missing, bytes), 0)
    return body.select(reachable, body.divide(missing, bytes), 0)
