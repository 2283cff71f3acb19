"""The text of a function on tensors, from the names and types of its values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol


class Named(Protocol):
    """A value with its name, with the percent sign, and its type as text."""

    @property
    def name(self) -> str:
        """The SSA name of the value, such as `%x0`."""
        ...

    @property
    def type(self) -> str:
        """The tensor type as MLIR text, such as `tensor<4xf32>`."""
        ...


@dataclass(frozen=True)
class Value:
    """An SSA value of a graph that is built as text."""

    name: str
    shape: tuple[int, ...]
    element: str

    @property
    def type(self) -> str:
        """The tensor type as MLIR text, such as `tensor<4xf32>`."""
        return tensor_type(self.shape, self.element)


def tensor_type(shape: Sequence[int], element: str) -> str:
    """The type `tensor<4x8xf32>` of a shape and an element type."""
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


def op_text(op: str, operands: Sequence[Named], result: Named, attributes: str = "") -> str:
    """A line with the op `snippets.<op>`; `attributes` starts with a space."""
    names = ", ".join(v.name for v in operands)
    types = ", ".join(v.type for v in operands)
    return f"{result.name} = snippets.{op} {names}{attributes} : ({types}) -> {result.type}"


def function_text(inputs: Sequence[Named], lines: Sequence[str], outputs: Sequence[Named]) -> str:
    """The MLIR text of the function `@main`, from its ops and outputs."""
    arguments = ", ".join(f"{v.name}: {v.type}" for v in inputs)
    results = ", ".join(v.type for v in outputs)
    names = ", ".join(v.name for v in outputs)
    body = "\n  ".join(lines)
    return (
        f"func.func @main({arguments}) -> ({results}) {{\n  {body}\n"
        f"  func.return {names} : {results}\n}}\n"
    )


def subgraph_text(inputs: Sequence[Named], lines: Sequence[str], outputs: Sequence[Named]) -> str:
    """The text of `@main` with all ops but constants in one subgraph."""
    constants = [line for line in lines if "snippets.constant " in line]
    given = {value.name: value.type for value in inputs}
    for line in constants:
        given[line.partition(" = ")[0]] = line.rpartition(" : ")[2]
    results = [f"%r{index}" for index in range(len(outputs))]
    types = ", ".join(value.type for value in outputs)
    reads = ", ".join(f"{name}_in = {name}" for name in given)
    inside = [line for line in lines if line not in constants]
    names = ", ".join(value.name for value in outputs)
    inside = [_renamed(line, given) for line in (*inside, f"snippets.yield {names} : {types}")]
    head = f"{', '.join(results)} = snippets.subgraph ({reads}) : ({', '.join(given.values())})"
    body = "\n  ".join([*constants, f"{head} -> ({types}) {{", *inside, "}"])
    arguments = ", ".join(f"{value.name}: {value.type}" for value in inputs)
    return (
        f"func.func @main({arguments}) -> ({types}) {{\n  {body}\n"
        f"  func.return {', '.join(results)} : {types}\n}}\n"
    )


def _renamed(line: str, given: Iterable[str]) -> str:
    """A line whose values from outside have the names of the arguments of its subgraph."""
    names = {*given}
    return re.sub(r"%\w+", lambda found: f"{found[0]}_in" if found[0] in names else found[0], line)
