"""A workload as MLIR text, for our compiler."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reference import EPSILON
from steps import SUMS, Shape, Step, Workload

_TYPES = {"float32": "f32", "float64": "f64", "int32": "i32"}
_NAMES = {
    "shift_left": "bitwise_left_shift",
    "shift_right": "bitwise_right_shift",
    **dict.fromkeys(SUMS, "reduce_sum"),
}


def _attributes(step: Step) -> str:
    """The attributes of a step's op; rows are the last of two dims."""
    if step.op in SUMS:
        return f" {{axes = array<i64: {SUMS[step.op]}>}}"
    if step.op in ("softmax", "log_softmax"):
        return " {axis = 1 : i64}"
    if step.op in ("layer_norm", "rms_norm"):
        return f" {{axis = 1 : i64, epsilon = {EPSILON:e} : f32}}"
    if step.op == "transpose":
        return " {permutation = array<i64: 1, 0>}"
    return ""


def mlir(workload: Workload, size: str, constants: Mapping[str, str] | None = None) -> str:
    """The workload as text for `snippets_mlir.compile`; `constants` are arguments with a value."""
    given = constants or {}
    element = _TYPES[workload.dtype]

    def tensor(shape: Sequence[int], element: str = element) -> str:
        return f"tensor<{'x'.join([*map(str, shape), element])}>"

    def shape_of(step: Step) -> Shape:
        last = step is workload.steps[-1]
        return workload.shape(size) if last else workload.whole(size)

    types = {name: tensor(workload.argument_shape(name, size)) for name in workload.arguments}
    lines = [f"%{n} = snippets.constant {value} : {types[n]}" for n, value in given.items()]
    for step in workload.steps:
        names: list[str] = []
        for operand in step.operands:
            if isinstance(operand, str):
                names.append(operand)
                continue
            name = f"k{len(lines)}"
            value = repr(float(operand)) if element != "i32" else str(operand)
            lines.append(f"%{name} = snippets.scalar {value} : {element}")
            types[name] = f"tensor<{element}>"
            names.append(name)
        types[step.result] = tensor(shape_of(step), "i1" if step.op == "greater" else element)
        operands = ", ".join(f"%{name}" for name in names)
        signature = f"({', '.join(types[n] for n in names)}) -> {types[step.result]}"
        op = _NAMES.get(step.op, step.op)
        lines.append(
            f'%{step.result} = "snippets.{op}"({operands}){_attributes(step)} : {signature}'
        )
    fed = [name for name in workload.arguments if name not in given]
    arguments = ", ".join(f"%{name}: {types[name]}" for name in fed)
    result = types[workload.result]
    body = "\n  ".join([*lines, f"func.return %{workload.result} : {result}"])
    return f"func.func @main({arguments}) -> {result} {{\n  {body}\n}}\n"
