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
        session: to end a session and to start another one; one of both is half of it.
        step: what the program itself takes between two sessions.
        cold: what a step takes more where the model has driven the program out of the caches.
        waking: to wake the engine's threads, which stop spinning when a session ends: the calling
            thread works alone until they are there.
        resting: what the first of these wakings takes more: in a model that is one session the
            threads spin from call to call, and beside kernels they do not.
        worth: what all kernels beside sessions have to save, however little they cost: the times of
            two sessions of one model differ by as much.
        walking: what a call takes more that Python walks (`driver/onnx/python_walk.py`).
        walked: what each of its steps takes more.
        unsized: what a call takes more if a session beside kernels gives outputs whose sizes the
            data decide.
        kernel: to call a kernel.
        team: the same for the other threads of a kernel that uses several (`runtime/crew.py`).
        span: to begin a piece of a node whose operands broadcast (`engine_spans.py`), or of what a
            Transpose moves (`engine_transposes.py`), on one thread.
        turned: for an element of a Transpose that moves one axis past the last one.
        scattered: for an element of a Transpose that moves several axes, the last one among them.
        arithmetic: for an element of a node without a rate of its own, on one thread.
        cached_byte: to read or write a byte that is in a cache, on one thread.
        stream_byte: to read or write a byte that is in none.
        layout_byte: to convert a byte of an image that only crosses a cut from the blocked layout,
            or to it.
        image_byte: to convert a byte of an image from the engine's blocked layout, or to it.
        fusion_byte: to convert a byte of a value to another form where a fusion is lost.
        parallel_from: work of one thread from which the engine, or a kernel, uses all threads.
        cache: bytes of arrays that stay in the caches between two nodes.
        instruction: a vector instruction of a kernel, on one thread.
        product: a multiplication of a matrix product of the engine, and the addition, on one
            thread; `kernel_product` of a kernel, `sized_product` of one that gets the terms or the
            columns with the call.
        integers: the part of `product` that a multiplication of 8-bit integers takes.
        reading: how many times as long as a kernel the engine takes to read the constant operand of
            a product, which is what few rows take.
        rates: as `arithmetic`, for operators that have a rate of their own.
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
        """A multiplication of a product in a kernel, which may get sizes of it with the call."""
        return self.sized_product if sized else self.kernel_product

    def rest_of(self, threads: int) -> float:
        """What it takes that sessions of so many threads are beside kernels at all: all kernels
        together have to save more.
        """
        return max(self.worth, self.resting if threads > 1 else 0.0)

    def change(self, threads: int, touched: int = 0) -> float:
        """What it takes from one session of so many threads to the next.

        `touched` are the bytes that both read and write.
        """
        cold = self.cold if touched > self.cache else 0.0
        return self.session + self.step + cold + (self.waking if threads > 1 else 0.0)


DOUBT = 0.02
"""The part of the engine's time that estimates of it and of kernels may differ by: a plan has to
save more, because kernels take time to compile."""

_LACKED = NEVER / 1024
"""Nanoseconds that no operator takes which the engine has; threads divide a time."""


@dataclass(frozen=True)
class Estimate:
    """One candidate for a kernel, in nanoseconds.

    Attributes:
        ops: names of its ops.
        engine: what the engine takes for the nodes.
        kernel: what a kernel takes for them.
        cut: what the cut of the session costs.
        lost: the fusions that the engine loses by it, which `cut` includes.
    """

    ops: tuple[str, ...]
    engine: float
    kernel: float
    cut: float
    lost: tuple[str, ...] = ()

    @property
    def gain(self) -> float:
        """What a kernel saves; negative where it loses."""
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
    """The places of the candidates that pay, or that pay `together` with others beside them."""
    return {k for k, one in enumerate(estimates) if k in together or one.pays}


def save(
    estimates: Sequence[Estimate], kernels: Collection[int], rest: float, any_kernel: float = 0.0
) -> bool:
    """Whether kernels save more than `rest`, which the first cut costs, however many follow.

    Args:
        estimates: all candidates.
        kernels: the places of those that become kernels.
        rest: in nanoseconds.
        any_kernel: what the first kernel costs, with or without a cut, in nanoseconds.
    """
    saved = sum(estimates[k].gain - estimates[k].cut for k in kernels)
    cuts = any(estimates[k].cut for k in kernels)
    return saved > any_kernel + (rest if cuts else 0.0)


def different(estimates: Iterable[Estimate]) -> int:
    """How many kernels there are, if candidates with the same ops and times become one."""
    return len({(one.ops, one.engine, one.kernel) for one in estimates})
