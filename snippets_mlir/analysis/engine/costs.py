"""The constants of the cost model on one machine, and the model's estimate for a candidate.

`cost.py` computes an `Estimate` from `EngineCosts`; `targets/engine.py` has the constants.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from snippets_mlir.dialects.snippets.counterparts import NEVER


@dataclass(frozen=True)
class EngineCosts:
    """Nanoseconds that the engine, a kernel of ours and a cut take on one machine.

    Attributes:
        node: to start one node.
        session: to end a session and start another one; each is half of it.
        step: the time of the program itself between two sessions.
        cold: additional time of a step if the model has evicted the program from the caches.
        waking: to wake the engine's threads, which stop spinning when a session ends: until then
            the calling thread works alone.
        resting: additional time of the first waking: in a model that is one session the threads
            spin between calls, but not beside kernels.
        worth: minimal savings of all kernels beside sessions, at any cost: the times of two
            sessions of one model differ by as much.
        walking: additional time of a call that Python walks (`driver/onnx/python_walk.py`).
        walked: additional time of each of its steps.
        unsized: additional time of a call if a session beside kernels has outputs with
            data-dependent sizes.
        kernel: to call a kernel.
        team: the same for the other threads of a kernel that uses several
            (`runtime/parallel/crew.py`).
        span: to begin a piece of a node whose operands broadcast (`spans.py`), or of a
            Transpose (`transposes.py`), on one thread.
        turned: for an element of a Transpose that moves one axis past the last one.
        scattered: for an element of a Transpose that moves several axes, the last one among them.
        arithmetic: for an element of a node without its own rate, on one thread.
        cached_byte: to read or write a byte in a cache, on one thread.
        stream_byte: to read or write a byte outside of the caches.
        layout_byte: to convert a byte of an image that only crosses a cut from the blocked layout,
            or to it.
        image_byte: to convert a byte of an image from the engine's blocked layout, or to it.
        fusion_byte: to convert a byte of a value to another form if a fusion is lost.
        parallel_from: work of one thread from which the engine, or a kernel, uses all threads.
        cache: bytes of arrays that stay in the caches between two nodes.
        instruction: a vector instruction of a kernel, on one thread.
        product: a multiplication of a matrix product of the engine, and the addition, on one
            thread; `kernel_product` of a kernel, `sized_product` of a kernel with a dynamic number
            of terms or columns.
        integers: the time of a multiplication of 8-bit integers, as a part of `product`.
        reading: how many times longer than a kernel the engine takes to read the constant operand
            of a product, which dominates for few rows.
        rates: as `arithmetic`, for operators with their own rate.
    """

    node: float
    session: float
    step: float
    cold: float
    waking: float
    resting: float
    worth: float
    walking: float
    walked: float
    unsized: float
    kernel: float
    team: float
    span: float
    turned: float
    scattered: float
    arithmetic: float
    cached_byte: float
    stream_byte: float
    layout_byte: float
    image_byte: float
    fusion_byte: float
    parallel_from: float
    cache: int
    instruction: float
    product: float
    kernel_product: float
    sized_product: float
    integers: float
    reading: float
    rates: Mapping[str, float]

    def product_in_kernel(self, *, sized: bool) -> float:
        """The time of a multiplication of a product in a kernel; `sized`: with dynamic sizes."""
        return self.sized_product if sized else self.kernel_product

    def rest_of(self, threads: int) -> float:
        """The fixed cost of a model with both kernels and sessions of this many threads: all
        kernels together have to save more.
        """
        return max(self.worth, self.resting if threads > 1 else 0.0)

    def change(self, threads: int, touched: int = 0) -> float:
        """The cost of a change from one session with this many threads to the next.

        `touched` are the bytes that both read and write.
        """
        cold = self.cold if touched > self.cache else 0.0
        return self.session + self.step + cold + (self.waking if threads > 1 else 0.0)


DOUBT = 0.02
"""The uncertainty of the estimates, as a part of the engine's time: a plan has to save more,
because kernels take time to compile.
"""

_LACKED = NEVER / 1024
"""More nanoseconds than any operator of the engine takes; threads divide a time."""


@dataclass(frozen=True)
class Estimate:
    """One candidate for a kernel, in nanoseconds.

    Attributes:
        ops: names of its ops.
        engine: the engine's time for the nodes.
        kernel: a kernel's time for them.
        cut: the cost of the session's cut.
        lost: the fusions that the engine loses by it, included in `cut`.
    """

    ops: tuple[str, ...]
    engine: float
    kernel: float
    cut: float
    lost: tuple[str, ...] = ()

    @property
    def gain(self) -> float:
        """The savings of a kernel; negative if it loses."""
        return self.engine - self.kernel

    @property
    def pays(self) -> bool:
        """Whether a kernel for it makes the model faster, beyond doubt."""
        return pay([self])

    @property
    def is_known(self) -> bool:
        """Whether the engine has all of its operators."""
        return self.engine < _LACKED

    def __str__(self) -> str:
        """`a kernel saves 12.0 us, the cut of the session costs 14.0 us`."""
        cut = self.cut / 1e3
        saves = "onnxruntime lacks an operator"
        if self.is_known:
            saves = f"a kernel saves {self.gain / 1e3:.1f} us"
        lost = f" (lost: {', '.join(self.lost)})" if self.lost else ""
        return f"{saves}, the cut of the session costs {cut:.1f} us{lost}"


def pay(estimates: Sequence[Estimate]) -> bool:
    """Whether kernels that are made together make the model faster, beyond doubt."""
    engine = sum(one.engine for one in estimates)
    return sum(one.gain - one.cut for one in estimates) > DOUBT * engine


def that_pay(estimates: Sequence[Estimate], together: Collection[int]) -> set[int]:
    """The places of the candidates that pay off, alone or `together` with adjacent ones."""
    return {k for k, one in enumerate(estimates) if k in together or one.pays}


def save(
    estimates: Sequence[Estimate], kernels: Collection[int], rest: float, any_kernel: float = 0.0
) -> bool:
    """Whether kernels save more than `rest`, which the first cut costs, however many follow.

    Args:
        estimates: all candidates.
        kernels: the places of the candidates that become kernels.
        rest: in nanoseconds.
        any_kernel: the cost of the first kernel, with or without a cut, in nanoseconds.
    """
    saved = sum(estimates[k].gain - estimates[k].cut for k in kernels)
    cuts = any(estimates[k].cut for k in kernels)
    return saved > any_kernel + (rest if cuts else 0.0)


def different(estimates: Iterable[Estimate]) -> int:
    """How many kernels there are, if candidates with the same ops and times become one."""
    return len({(one.ops, one.engine, one.kernel) for one in estimates})
