"""The table from op classes of the `llvm` dialect to their format functions.

To add an op, give its class a row here; `test/unit/emit/test_llvm_text.py` fails for an op of the
dialect without a row.
"""

from __future__ import annotations

from xdsl.dialects import llvm as upstream
from xdsl.ir import Operation

from snippets_mlir.dialects.llvm import (
    atomics,
    casts,
    integer_intrinsics,
    intrinsics,
    masked,
    memory,
    pointers,
    reductions,
    values,
)
from snippets_mlir.emit import llvm_control as control
from snippets_mlir.emit import llvm_formats as formats
from snippets_mlir.emit import llvm_memory as mem
from snippets_mlir.emit.llvm_formats import Format, binary, cast, intrinsic, unary


def _exact(op: Operation) -> str:
    return formats.flag(op, "isExact", "exact")


def _nneg(op: Operation) -> str:
    return formats.flag(op, "nonNeg", "nneg")


def _disjoint(op: Operation) -> str:
    return formats.flag(op, "isDisjoint", "disjoint")


_INTRINSICS: tuple[type[Operation], ...] = (
    *integer_intrinsics.OPS,
    *(op for op in intrinsics.OPS if op is not intrinsics.StepVectorOp),
    *reductions.OPS,
    upstream.FCeilOp,
    upstream.FCopySignOp,
    upstream.FCosOp,
    upstream.FExp2Op,
    upstream.FExpOp,
    upstream.FFloorOp,
    upstream.FLog2Op,
    upstream.FLogOp,
    upstream.FMAOp,
    upstream.FPowOp,
    upstream.FSinOp,
    upstream.FSqrtOp,
    upstream.VectorFMaxOp,
    upstream.VectorFMinOp,
    upstream.VectorReduceFAddOp,
    upstream.VectorReduceFMulOp,
)

FORMATS: dict[type[Operation], Format] = {
    **{op: intrinsic(f"llvm.{op.name.removeprefix('llvm.intr.')}") for op in _INTRINSICS},
    upstream.AShrOp: binary("ashr", _exact),
    upstream.AddOp: binary("add", formats.overflow),
    upstream.AllocaOp: mem.alloca,
    upstream.AndOp: binary("and"),
    upstream.BrOp: control.br,
    upstream.CallIntrinsicOp: control.call_intrinsic,
    upstream.CallOp: control.call,
    upstream.CondBrOp: control.cond_br,
    upstream.ExtractValueOp: mem.extractvalue,
    upstream.FAddOp: binary("fadd", formats.fast_math),
    upstream.FDivOp: binary("fdiv", formats.fast_math),
    upstream.FMulOp: binary("fmul", formats.fast_math),
    upstream.FNegOp: unary("fneg"),
    upstream.FRemOp: binary("frem", formats.fast_math),
    upstream.FSubOp: binary("fsub", formats.fast_math),
    upstream.ICmpOp: formats.icmp,
    upstream.InsertElementOp: mem.insertelement,
    upstream.InsertValueOp: mem.insertvalue,
    upstream.IntToPtrOp: cast("inttoptr"),
    upstream.LShrOp: binary("lshr", _exact),
    upstream.MulOp: binary("mul", formats.overflow),
    upstream.OrOp: binary("or", _disjoint),
    upstream.PtrToIntOp: cast("ptrtoint"),
    upstream.ReturnOp: control.ret,
    upstream.SDivOp: binary("sdiv", _exact),
    upstream.SExtOp: cast("sext"),
    upstream.SRemOp: binary("srem"),
    upstream.ShlOp: binary("shl", formats.overflow),
    upstream.ShuffleVectorOp: mem.shufflevector,
    upstream.SubOp: binary("sub", formats.overflow),
    upstream.TruncOp: cast("trunc", formats.overflow),
    upstream.UDivOp: binary("udiv", _exact),
    upstream.URemOp: binary("urem"),
    upstream.UnreachableOp: lambda op, names: "unreachable",
    upstream.XOrOp: binary("xor"),
    upstream.ZExtOp: cast("zext", _nneg),
    atomics.AtomicRMWOp: mem.atomicrmw,
    casts.BitcastOp: cast("bitcast"),
    casts.FPExtOp: cast("fpext"),
    casts.FPToSIOp: cast("fptosi"),
    casts.FPToUIOp: cast("fptoui"),
    casts.FPTruncOp: cast("fptrunc"),
    casts.SIToFPOp: cast("sitofp"),
    casts.UIToFPOp: cast("uitofp", _nneg),
    intrinsics.StepVectorOp: formats.stepvector,
    masked.FenceOp: mem.fence,
    masked.MaskedGatherOp: mem.masked_read("llvm.masked.gather"),
    masked.MaskedLoadOp: mem.masked_read("llvm.masked.load"),
    masked.MaskedScatterOp: mem.masked_write("llvm.masked.scatter"),
    masked.MaskedStoreOp: mem.masked_write("llvm.masked.store"),
    pointers.GEPOp: mem.gep,
    memory.LoadOp: mem.load,
    memory.StoreOp: mem.store,
    values.ExtractElementOp: mem.extractelement,
    values.FCmpOp: formats.fcmp,
    values.FreezeOp: unary("freeze"),
    values.SelectOp: formats.select,
}
