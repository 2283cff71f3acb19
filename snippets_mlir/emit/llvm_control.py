"""Format functions for calls and terminators of the `llvm` dialect.

`br` and `cond_br` pass their operands through phi nodes, so only the targets are written.
"""

from __future__ import annotations

from xdsl.dialects import llvm as upstream
from xdsl.dialects.llvm import LLVMFunctionType
from xdsl.ir import Operation

from snippets_mlir.dialects.llvm.loop_annotations import ON_BRANCHES, LoopAnnotationAttr
from snippets_mlir.emit.llvm_formats import Names, fast_math, quoted


def call(op: Operation, names: Names) -> str:
    """A call of a function or through a pointer."""
    assert isinstance(op, upstream.CallOp)
    arguments = list(op.args)
    if op.callee is None:
        callee = names.value(arguments.pop(0))
    else:
        callee = f"@{quoted(op.callee.string_value())}"
    kind = op.TailCallKind.data.value
    returned = names.type(op.results[0].type) if op.results else "void"
    if isinstance(op.var_callee_type, LLVMFunctionType):
        returned = names.type(op.var_callee_type)
    convention = "" if op.CConv.cconv_name == "ccc" else f"{op.CConv.cconv_name} "
    return (
        f"{'' if kind == 'none' else kind + ' '}call {fast_math(op)}{convention}{returned} "
        f"{callee}({', '.join(map(names.typed, arguments))})"
    )


def call_intrinsic(op: Operation, names: Names) -> str:
    """A call of an intrinsic by its full name."""
    assert isinstance(op, upstream.CallIntrinsicOp)
    returned = names.type(op.results[0].type) if op.results else "void"
    arguments = ", ".join(map(names.typed, op.args))
    return f"call {fast_math(op)}{returned} @{op.intrin.data}({arguments})"


def br(op: Operation, names: Names) -> str:
    """`llvm.br` as `br label %block`, with `!llvm.loop !2` if it has a loop annotation."""
    told = op.attributes.get(ON_BRANCHES)
    if told is None:
        return f"br label %{names.label(op.successors[0])}"
    if not isinstance(told, LoopAnnotationAttr):
        raise ValueError(f"expected #llvm.loop_annotation as {ON_BRANCHES}, found {told}")
    return f"br label %{names.label(op.successors[0])}, !llvm.loop {names.loop(told)}"


def cond_br(op: Operation, names: Names) -> str:
    """`llvm.cond_br` as `br i1 %c, label %a, label %b`."""
    then, other = (names.label(b) for b in op.successors)
    return f"br {names.typed(op.operands[0])}, label %{then}, label %{other}"


def ret(op: Operation, names: Names) -> str:
    """`llvm.return` as `ret type v` or `ret void`."""
    return f"ret {names.typed(op.operands[0])}" if op.operands else "ret void"
