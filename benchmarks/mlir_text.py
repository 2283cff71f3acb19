"""A workload as MLIR text, for our compiler."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reference import EPSILON
from shapes import argument_shapes, plain, shapes_of
from steps import SUMS, Shape, Step, Workload

_TYPES = {"float32": "f32", "float64": "f64", "int32": "i32"}
_NAMES = {
    "shift_left": "bitwise_left_shift",
    "shift_right": "bitwise_right_shift",
    "permute": "transpose",
    **dict.fromkeys(SUMS, "reduce_sum"),
}


def _attributes(step: Step, shape: Shape) -> str:
    """The attributes of the op of a step, whose result has `shape`."""
    axis = len(shape) - 1
    if step.op in SUMS:
        return f" {{axes = array<i64: {SUMS[step.op]}>}}"
    if step.op in ("softmax", "log_softmax"):
        return f" {{axis = {axis} : i64}}"
    if step.op in ("layer_norm", "rms_norm"):
        return f" {{axis = {axis} : i64, epsilon = {EPSILON:e} : f32}}"
    if step.op == "transpose":
        return " {permutation = array<i64: 1, 0>}"
    if step.op == "permute" and isinstance(order := step.operands[-1], tuple):
        return f" {{permutation = array<i64: {', '.join(map(str, order))}>}}"
    return ""


def mlir(workload: Workload, size: str, constants: Mapping[str, str] | None = None) -> str:
    """The workload as text for `snippets_mlir.compile`; `constants` are arguments with a value."""
    given = constants or {}
    element = _TYPES[workload.dtype]

    def tensor(shape: Sequence[int], element: str = element) -> str:
        return f"tensor<{'x'.join([*map(str, shape), element])}>"

    program = plain(workload.steps)
    shapes = shapes_of(argument_shapes(workload, size), program)
    types = {name: tensor(shapes[name]) for name in workload.arguments}
    lines = [f"%{n} = snippets.constant {value} : {types[n]}" for n, value in given.items()]
    for step in program:
        names: list[str] = []
        for operand in step.operands:
            if isinstance(operand, str):
                names.append(operand)
                continue
            if isinstance(operand, tuple):
                continue  # of the result's type, or an attribute
            name = f"k{len(lines)}"
            value = repr(float(operand)) if element != "i32" else str(operand)
            lines.append(f"%{name} = snippets.scalar {value} : {element}")
            types[name] = f"tensor<{element}>"
            names.append(name)
        types[step.result] = tensor(shapes[step.result], "i1" if step.op == "greater" else element)
        operands = ", ".join(f"%{name}" for name in names)
        signature = f"({', '.join(types[n] for n in names)}) -> {types[step.result]}"
        op = _NAMES.get(step.op, step.op)
        lines.append(
            f'%{step.result} = "snippets.{op}"({operands})'
            f"{_attributes(step, shapes[step.result])} : {signature}"
        )
    fed = [name for name in workload.arguments if name not in given]
    arguments = ", ".join(f"%{name}: {types[name]}" for name in fed)
    result = types[workload.result]
    body = "\n  ".join([*lines, f"func.return %{workload.result} : {result}"])
    return f"func.func @main({arguments}) -> {result} {{\n  {body}\n}}\n"
