"""One thread's range of a kernel, as LLVM text: begun at a cache line.

    void snippets_range(Kernel *k, const Args *args, int64_t begin, int64_t end, int64_t thread,
                        int64_t grain, int64_t aligned);

calls the kernel for `[begin, end)`, where `begin` is a multiple of `grain`. With `aligned` 0 that
is one call. Else `aligned` is `array << 8 | bytes`: the kernel has said (`snippets.aligned`) that
its ranges may begin anywhere, and that it reads element `i`, of `bytes` bytes, of `data[array]` for
element `i` of its domain. If that array is not on a cache line at `begin`, and the range has
`LEAST_GRAINS` whole grains, then it is run as

    [begin, begin + grain)      [begin + k, end' - grain + k)      [end' - grain, end)

`k` elements behind `begin` the array is on a cache line, and `end'` is where the last whole grain
ends. The parts overlap, and elements there are computed twice, to the same values: a kernel's
outputs share no byte with its inputs or with each other, and no other thread has elements of this
range. A tail is computed once, by the last part: the part in the middle never ends where the domain
does.

Why: a vector of 64 bytes that is not aligned is on two cache lines, always (docs/kernels.md).
"""

from __future__ import annotations

from collections.abc import Sequence

LINE = 64
"""Bytes of a cache line, and of a vector for which it matters where it begins."""

LEAST_GRAINS = 128
"""Whole grains of a range for which the two that are run twice are worth it."""

_TEMPLATE = """
define LINKAGEvoid @snippets_range(ptr %kernel, ptr %args, i64 %begin, i64 %end, i64 %thread,
                            i64 %grain, i64 %aligned) {
entry:
  %some = icmp ult i64 %begin, %end
  br i1 %some, label %range, label %out

range:
  %length = sub i64 %end, %begin
  %whole = udiv i64 %length, %grain
  %asked = icmp ne i64 %aligned, 0
  %enough = icmp uge i64 %whole, LEAST_GRAINS
  %worth = and i1 %asked, %enough
  br i1 %worth, label %look, label %cut

look:
  %bytes = and i64 %aligned, 255
  %number = lshr i64 %aligned, 8
  %data = load ptr, ptr %args, align 8
  %array.p = getelementptr i64, ptr %data, i64 %number
  %array = load i64, ptr %array.p, align 8
  %distance = mul i64 %begin, %bytes
  %address = add i64 %array, %distance
  %negative = sub i64 0, %address
  %missing = and i64 %negative, LAST_BYTE
  %head = udiv i64 %missing, %bytes
  %between = urem i64 %missing, %bytes
  %misses = icmp ne i64 %missing, 0
  %reachable = icmp eq i64 %between, 0
  %shift = and i1 %misses, %reachable
  br i1 %shift, label %first, label %cut

first:
  %first.end = add i64 %begin, %grain
  call void %kernel(ptr %args, i64 %begin, i64 %first.end, i64 %thread)
  br label %cut

cut:
  %k = phi i64 [ 0, %range ], [ 0, %look ], [ %head, %first ]
  %shifted = icmp ne i64 %k, 0
  %start = add i64 %begin, %k
  %inner = sub i64 %whole, 1
  %inner.length = mul i64 %inner, %grain
  %inner.end = add i64 %start, %inner.length
  %stop = select i1 %shifted, i64 %inner.end, i64 %end
  call void %kernel(ptr %args, i64 %start, i64 %stop, i64 %thread)
  br i1 %shifted, label %last, label %out

last:
  %last.begin = add i64 %begin, %inner.length
  call void %kernel(ptr %args, i64 %last.begin, i64 %end, i64 %thread)
  br label %out

out:
  ret void
}
"""


def range_text(linkage: str = "") -> str:
    """LLVM's text of `snippets_range`, with a linkage such as `internal`."""
    return (
        _TEMPLATE.replace("LINKAGE", f"{linkage} " if linkage else "")
        .replace("LEAST_GRAINS", str(LEAST_GRAINS))
        .replace("LAST_BYTE", str(LINE - 1))
    )


def aligned_word(aligned: Sequence[int] | None) -> int:
    """What `snippets_range` takes for `aligned` of a manifest's step; 0 for none."""
    if aligned is None:
        return 0
    array, size = aligned
    return array << 8 | size
