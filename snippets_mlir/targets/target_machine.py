"""A target machine: the description of a CPU for the compiler.

`machine.py` has the machines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from snippets_mlir.analysis.kernels.cores import Core
from snippets_mlir.analysis.kernels.register_files import RegisterFiles
from snippets_mlir.analysis.kernels.register_tiles import FAR, WAYS
from snippets_mlir.analysis.kernels.result_rows import RowsFirst
from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from snippets_mlir.targets.emitters.emitter import Emitter
    from snippets_mlir.targets.emitters.table import EmitterTable

CORE = Core(issue=2.3, window=130, latency=4, division=12, load=8)
"""Measured on a Zen 3 with AVX2; other cores have the same chains, and windows of this order."""


@dataclass(frozen=True)
class TargetMachine:
    """A CPU as the compiler sees it.

    Attributes:
        name: the name in `snippets.target` and `--target`.
        triple: LLVM target triple.
        cpu: LLVM CPU name.
        features: LLVM feature string.
        lanes: 32-bit elements in one vector register; it is the vector size of the loops.
        vector_registers: size of the vector register file.
        general_registers: size of the general-purpose register file.
        fma: whether a fused multiply-add is one instruction.
        mask_registers: registers for vectors of i1; 0 if vector registers hold them.
        reserved_registers: general-purpose registers that kernels cannot use: the stack's, the
            platform's, and the registers of the kernel's arguments `args`, `begin`, `end`.
        permutes: whether one instruction looks up a vector of `lanes` f32 in a table of 32, the low
            bits of integers being the indices.
        f16_conversion: whether f16 and f32 are converted by one instruction.
        whole_operands: whether an instruction can read a whole vector from memory, but not one
            element for all lanes, which is how LLVM keeps constants there.
        positioned: passes that the machine adds to the pipeline, as in `--insert-pass`.
        cache: bytes of the last-level cache, unless the module says another size.
        first_cache: bytes of the first-level cache of a core that hold data.
        first_ways: its associativity.
        second_cache: bytes of the second-level cache of a core.
        streams: which kernels may store past the caches: none, flat ones, or also kernels of rows.
        prefetch_from: bytes of arrays from which kernels of rows prefetch memory; None for never.
        buffers_in_outputs: whether buffers live in outputs if the arrays of a kernel are larger
            than the last-level cache.
        rematerialize_from: bytes of a kernel's arrays from which later loops recompute cheap values
            instead of buffering them: the size of the second-level cache; None for never.
        products: fused multiply-adds of whole vectors that begin in a cycle.
        rereads: how many arrays are read instead of a buffer that is filled by another loop than
            the first one, which waits for memory.
        softmax_from: bytes of a row from which softmax reads it twice and computes exp twice, and
            writes only its result; None for never.
        log_softmax_from: bytes of a row from which log_softmax reads it twice; None for never.
        narrow: bytes of a row of a panel up to which matrix products always copy the panel: short
            pieces of rows that are apart miss the first-level cache.
        rows_first: which results of products with few terms are written row by row; None for none.
        tiles_from: bytes of a result from which register tiles of products prefetch their lines
            before the stores; None for never.
        panel_line: cycles in which 64 bytes of a panel come from the second-level cache.
        apart_line: cycles in which 64 bytes of a panel come whose rows are apart and not copied.
        tall_right: bytes of a right operand up to which the rows of a product are outside because
            there are many; each tile of rows then reads all of it. None for any number.
        panel_ahead: how many rows in advance a product prefetches a row of a panel whose rows are
            apart; 0 to prefetch the row of the next panel instead (`prefetch-panels`).
        packed_to: bytes of a packed panel of a matrix up to which the next panel is prefetched
            while the rows use this one; 0 for none (`prefetch-packed-panels`).
        left_block: bytes of a block of the left operand's rows that is multiplied with all packed
            panels before the next one; 0 for all rows (`lir-brgemm-left-blocks`).
        terms_in_turn: terms of a product whose sums are in one iteration of the innermost loop;
            None for one (`unroll-terms`).
        vectors_ahead: whether LLVM loads the vectors of the next term of an iteration early, and a
            register tile leaves registers for them.
        side_by_side: products of one left operand that one kernel computes if there are many rows;
            with 16 registers, tiles of two or three products have only one vector of each.
        image_copy: how many image elements oneDNN reorders around a convolution in the time in
            which torch copies one element to another order of dims.
        core: how a core runs the instructions of a loop.
        own_emitters: its replacements for emitters of the base table: op name -> emitter, or
            "module:attribute" of such a table.
        tunes: kinds of CPUs that run the same code faster with other loops: name, as in LLVM's
            `-mtune` -> the fields that differ.
    """

    name: str
    triple: str
    cpu: str
    features: str
    lanes: int
    vector_registers: int
    general_registers: int
    fma: bool
    mask_registers: int = 0
    reserved_registers: int = 4
    permutes: bool = False
    f16_conversion: bool = True
    whole_operands: bool = False
    positioned: tuple[str, ...] = ()
    cache: int = 32 << 20
    first_cache: int = 32 << 10
    first_ways: int = WAYS
    second_cache: int = 1 << 20
    streams: Literal["none", "flat", "rows"] = "none"
    prefetch_from: int | None = None
    buffers_in_outputs: bool = False
    rematerialize_from: int | None = None
    products: float = 2
    rereads: int = 1
    softmax_from: int | None = None
    log_softmax_from: int | None = None
    narrow: int = 0
    rows_first: RowsFirst | None = None
    tiles_from: int | None = None
    panel_line: float = FAR
    apart_line: float = FAR
    tall_right: int | None = None
    panel_ahead: int = 0
    packed_to: int = 0
    left_block: int = 0
    terms_in_turn: int | None = None
    vectors_ahead: bool = False
    side_by_side: int = 3
    image_copy: int = 6
    core: Core = CORE
    own_emitters: str | Mapping[str, Emitter] = field(default="", compare=False)
    tunes: Mapping[str, Mapping[str, Any]] = field(
        default_factory=dict[str, Mapping[str, Any]], compare=False
    )

    def tuned(self, tune: str) -> TargetMachine:
        """The machine for one kind of its CPUs; CompileError if it has no such `tunes`."""
        if tune not in self.tunes:
            known = ", ".join(self.tunes) or "none"
            raise CompileError(f"target {self.name!r} has no tune {tune!r}; it has: {known}")
        return self._tuned[tune]

    @cached_property
    def _tuned(self) -> dict[str, TargetMachine]:
        """One machine for each tune: its table of emitters is made once."""
        return {name: replace(self, **fields) for name, fields in self.tunes.items()}

    @cached_property
    def emitters(self) -> EmitterTable:
        """Op name -> emitter: the base table with the machine's own emitters."""
        from snippets_mlir.targets.emitters.table import table_for

        return table_for(self.name, self.own_emitters)

    @property
    def register_files(self) -> RegisterFiles:
        """What the kernels' values and pointers can be in."""
        return RegisterFiles(
            self.vector_registers,
            self.mask_registers,
            self.general_registers - self.reserved_registers,
            self.lanes * 32,
        )
