"""From a module at the graph level to kernels at the level of LLVM: the passes of a build."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.program.host import host_functions
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.driver.reports.kernel_entry import KernelEntry, KernelFacts
from snippets_mlir.driver.reports.kernel_facts import (
    LOOPS_ARE_FINAL,
    TAKES_APART,
    entries_of,
    facts_of,
    names_by_subgraph,
)
from snippets_mlir.driver.settings import Settings
from snippets_mlir.driver.workers.apart import Between, Later, lower_apart
from snippets_mlir.driver.workers.batches import cut, planned
from snippets_mlir.driver.workers.sharing import Piece
from snippets_mlir.passmanager.context import ToolContext
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.attribute_names import SKIPPED

TO_LIR = "convert-snippets-to-lir"

FROM_DATA = "its shape follows from data"


def isolate(module: ModuleOp, entry: str) -> None:
    """Erase the host functions other than `entry`."""
    for function in host_functions(module):
        if function.sym_name.data != entry:
            function.detach()
            function.erase()


def prepare(module: ModuleOp, entry: str) -> None:
    """Make a module with static inputs ready for the passes (it is changed).

    Only the entry stays. Values whose sizes depend on data, such as the result of `onnx.node`
    "NonZero", still have dynamic dims. No kernel supports ops on them; `snippets.skipped` tells the
    passes so.
    """
    isolate(module, entry)
    for op in module.walk():
        if has_dynamic_dims(op):
            op.attributes.setdefault(SKIPPED, StringAttr(FROM_DATA))


def has_dynamic_dims(op: Operation) -> bool:
    """Whether `op` computes with dynamic dims, which follow from data if all inputs are static."""
    return isinstance(op, ComputeOp) and any(map(_is_dynamic, (*op.operands, *op.results)))


def _is_dynamic(value: SSAValue) -> bool:
    return not is_static(shape_of(value))


@dataclass(frozen=True)
class Lowered:
    """The facts about the kernels of a module that the passes have lowered.

    Attributes:
        held: the entry of each subgraph.
        facts: the facts of each kernel, by symbol.
        pieces: as in `Apart`; none if the module has their code.
    """

    held: list[KernelEntry]
    facts: Mapping[str, KernelFacts]
    pieces: Sequence[Piece] = ()

    @property
    def is_compiled(self) -> bool:
        """Whether LLVM has finished."""
        return bool(self.pieces) and all(isinstance(piece, bytes) for piece in self.pieces)


def lower(
    module: ModuleOp,
    ctx: ToolContext,
    passes: str,
    settings: Settings,
    between: Between,
    later: Later,
) -> Lowered:
    """Run the passes; passes on single kernels run in several processes if this pays off.

    The module is verified after each pass if some passes are not ours.

    `between` is called before the passes on single kernels (see `Between`). `later` begins LLVM's
    concurrent work.
    """
    held: list[KernelEntry] = []
    facts: dict[str, KernelFacts] = {}
    names: dict[Operation, tuple[str, ...]] = {}

    def before(next_pass: ModulePass, module: ModuleOp) -> None:
        if next_pass.name == TO_LIR:
            held.extend(entries_of(module, names))
        elif next_pass.name == TAKES_APART:
            names.update(names_by_subgraph(module))
        elif next_pass.name in LOOPS_ARE_FINAL and not facts:
            facts.update(facts_of(module))

    together, apart = cut(parse_pipeline(passes, ctx))
    checked = settings.has_foreign_passes
    run_passes(module, ctx, together, verify_each=checked, before=before)
    batches = [] if checked else planned(module)
    if batches:
        processes = settings.compile_workers
        made = lower_apart(module, ctx, apart, batches, settings.target, processes, later, between)
        return Lowered(held, {**facts, **made.facts}, made.pieces)
    if (rest := between(module)) is not None:
        rest()
    run_passes(module, ctx, apart, verify_each=checked, before=before)
    return Lowered(held, facts)
