"""The assigned registers of a kernel beside the registers that LLVM uses, and LLVM's spills.

The ports name the assigned registers after `lir-assign-registers`. The registers of LLVM come from
the assembly of the kernel's body, whose comments mark spills and reloads.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from snippets_mlir.codegen.compile import compile_assembly
from snippets_mlir.dialects.lir.access import ports
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.markers import LoopBeginOp
from snippets_mlir.dialects.lir.registers import auxiliary_of, counter_of, location
from snippets_mlir.emit.llvm_text import emit_llvm
from snippets_mlir.passes.pipelines import PIPELINES
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.machine import machine

PARTS = "lir-insert-specific-iterations"

_FUNCTION = re.compile(r"^([A-Za-z_][\w.$]*):", re.MULTILINE)
_VECTORS = {
    "x86_64": re.compile(r"%[xyz]mm(\d+)"),
    "aarch64": re.compile(r"\b[vqdsz](\d+)\b"),
}
_MASKS = {"x86_64": re.compile(r"%k([0-7])\b"), "aarch64": re.compile(r"\bp(\d+)\b")}


@dataclass(frozen=True)
class RegisterUse:
    """The registers of one kernel.

    Attributes:
        kernel: its name.
        vectors: vector registers that its ports name.
        masks: mask registers that they name.
        general: general-purpose registers that they name.
        slots: slots of the scratchpad for values that have no register.
        llvm_vectors: vector registers in the assembly of its body.
        llvm_masks: mask registers there.
        spills: instructions there that store a vector or mask register on the stack.
        reloads: instructions there that read one back.
    """

    kernel: str
    vectors: int
    masks: int
    general: int
    slots: int
    llvm_vectors: int
    llvm_masks: int
    spills: int
    reloads: int


def assigned(kernel: KernelOp) -> dict[str, set[str]]:
    """The registers and slots that the ports of a kernel name, by file: vec, mask, gpr, slot."""
    found: dict[str, set[str]] = {"vec": set(), "mask": set(), "gpr": set(), "slot": set()}
    for op in kernel.block.ops:
        names = list(auxiliary_of(op))
        if isinstance(op, LoopBeginOp) and (counter := counter_of(op)) is not None:
            names.append(counter)
        for port in ports(op):
            if (place := location(port.register)) is not None:
                names += place.registers
                names += [] if place.slot is None else [f"slot{place.slot}"]
        for name in names:
            found[name.rstrip("0123456789")].add(name)
    return found


def bodies_of(assembly: str) -> dict[str, str]:
    """The assembly of each function, by name."""
    pieces = _FUNCTION.split(assembly)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def llvm_use(body: str, architecture: str) -> tuple[int, int, int, int]:
    """Vector registers, mask registers, spills and reloads in the assembly of a function.

    Only spills and reloads of vector and mask registers count: "32-byte Spill", "Folded Reload".
    """
    vector, mask = _VECTORS[architecture], _MASKS[architecture]
    vectors, masks, spills, reloads = set[str](), set[str](), 0, 0
    for line in body.splitlines():
        code = re.split(r"#|//", line, maxsplit=1)[0]
        used = vector.findall(code)
        masked = mask.findall(code)
        vectors.update(used)
        masks.update(masked)
        if used or masked:
            spills += line.rstrip().endswith("Spill")
            reloads += line.rstrip().endswith("Reload")
    return len(vectors), len(masks), spills, reloads


def register_report(module: ModuleOp, target: str) -> list[RegisterUse]:
    """The registers of the kernels that `module`, at the graph level, becomes for `target`.

    The module is changed.

    Raises:
        CompileError: the target has no table of register names, or the module does not compile.
    """
    ctx = make_context()
    cpu = machine(target)
    architecture = cpu.triple.partition("-")[0]
    if architecture not in _VECTORS:
        raise CompileError(f"the register names of {architecture} are not known")
    text = PIPELINES["snippets-to-llvm"].replace(
        "snippets-set-target", f"snippets-set-target{{target={target}}}", 1
    )
    found: dict[str, dict[str, set[str]]] = {}

    def before(next_pass: ModulePass, module: ModuleOp) -> None:
        if next_pass.name == PARTS:
            kernels = [op for op in module.ops if isinstance(op, KernelOp)]
            found.update({kernel.sym_name.data: assigned(kernel) for kernel in kernels})

    run_passes(module, ctx, parse_pipeline(text, ctx), before=before)
    assembly = compile_assembly(
        emit_llvm(module),
        triple=cpu.triple,
        cpu=cpu.cpu,
        features=cpu.features,
        kernels=True,
        comments=True,
    )
    bodies = bodies_of(assembly)
    uses: list[RegisterUse] = []
    for name, files in found.items():
        vectors, masks, spills, reloads = llvm_use(bodies[f"{name}.body"], architecture)
        vec, mask, gpr, slot = (len(files[file]) for file in ("vec", "mask", "gpr", "slot"))
        uses.append(RegisterUse(name, vec, mask, gpr, slot, vectors, masks, spills, reloads))
    return uses
