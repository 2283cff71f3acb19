"""One thread's range of a kernel, as LLVM text: begun at a cache line, and cut into blocks.

    void snippets_range(Kernel *k, const Args *args, int64_t begin, int64_t end, int64_t thread,
                        int64_t grain, int64_t aligned, int64_t blocks, int64_t down);

calls the kernel for `[begin, end)`, where `begin` is a multiple of `grain`. With `aligned` 0 it
does so in `blocks` calls, from the first block to the last, or with `down` from the last one to the
first. Else `aligned` is `array << 8 | bytes`: the kernel has said (`snippets.aligned`) that its
ranges may begin anywhere, and that it reads element `i`, of `bytes` bytes, of `data[array]` for
element `i` of its domain. If that array is not on a cache line at `begin`, and the range has
`LEAST_GRAINS` whole grains, then it is run as

    [begin, begin + grain)      [begin + k, end' - grain + k)      [end' - grain, end)

`k` elements behind `begin` the array is on a cache line, and `end'` is where the last whole grain
ends. The part in the middle is what is cut into blocks. The parts overlap, and elements there are
computed twice, to the same values: a kernel's outputs share no byte with its inputs or with each
other, and no other thread has elements of this range. A tail is computed once, by the last part:
the part in the middle never ends where the domain does.

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
                            i64 %grain, i64 %aligned, i64 %blocks, i64 %down) {
entry:
  %some = icmp ult i64 %begin, %end
  br i1 %some, label %range, label %out

range:
  %length = sub i64 %end, %begin
  %whole = udiv i64 %length, %grain
  %left = urem i64 %length, %grain
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
  %tail = icmp ne i64 %left, 0
  %tails = zext i1 %tail to i64
  %all = add i64 %whole, %tails
  %grains = select i1 %shifted, i64 %inner, i64 %all
  %size = udiv i64 %grains, %blocks
  %rest = urem i64 %grains, %blocks
  %highest = sub i64 %blocks, 1
  %back = icmp ne i64 %down, 0
  br label %step

step:
  %i = phi i64 [ 0, %cut ], [ %i1, %done ]
  %i1 = add i64 %i, 1
  %mirrored = sub i64 %highest, %i
  %b = select i1 %back, i64 %mirrored, i64 %i
  %b1 = add i64 %b, 1
  %e0 = call i64 @llvm.umin.i64(i64 %b, i64 %rest)
  %e1 = call i64 @llvm.umin.i64(i64 %b1, i64 %rest)
  %s0 = mul i64 %size, %b
  %s1 = mul i64 %size, %b1
  %o0 = add i64 %s0, %e0
  %o1 = add i64 %s1, %e1
  %d0 = mul i64 %o0, %grain
  %d1 = mul i64 %o1, %grain
  %block.begin = add i64 %start, %d0
  %grown = add i64 %start, %d1
  %block.end = call i64 @llvm.umin.i64(i64 %grown, i64 %stop)
  %any = icmp ult i64 %block.begin, %block.end
  br i1 %any, label %run, label %done

run:
  call void %kernel(ptr %args, i64 %block.begin, i64 %block.end, i64 %thread)
  br label %done

done:
  %more = icmp ult i64 %i1, %blocks
  br i1 %more, label %step, label %ends

ends:
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
