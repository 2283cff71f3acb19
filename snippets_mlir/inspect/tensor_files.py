"""Files of the arrays of a run: results of steps, and values of chosen nodes of the model.

    dump_tensors(compiled, arrays, "tensors", "relu")

    tensors/inputs.npz               the inputs of the run, by name
    tensors/002_subgraph_1_0.npy     result 0 of step 2, of which a name contains `relu`
    tensors/relu_5_0.npy             result 0 of the node `relu_5`, which is in no step of its own

All of these may be inputs of `snippets-run --input`. A node that is fused into another node, or
optimised out, has no array in the run. Its values come from a run of the same model in which they
are outputs. Other nodes may be fused there, and floats may be rounded differently.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard
from zipfile import ZipFile

import numpy as np

from snippets_mlir.driver.building.built import Built
from snippets_mlir.driver.networks.model_nodes import ModelNode, model_nodes, with_results
from snippets_mlir.driver.networks.node_states import EXECUTED, OPTIMISED_OUT, node_states
from snippets_mlir.driver.networks.step_times import StepTime, described_steps, kernel_entries
from snippets_mlir.driver.programs.tensors import TensorProgram
from snippets_mlir.runtime.arguments.arrays import Array, is_array
from snippets_mlir.runtime.manifests.manifest import Step
from snippets_mlir.support.errors import CompileError

LONGEST = 100
"""Characters of a name in the name of a file."""


@dataclass(frozen=True)
class Dumped:
    """What was written.

    Attributes:
        steps: the files of steps.
        apart: nodes without a step of their own: what happened to each in the run, and the files of
            its values (none if it has no values that are arrays).
    """

    steps: list[Path]
    apart: list[tuple[str, str, list[Path]]]


def dump_tensors(
    compiled: TensorProgram, arrays: Sequence[Array], directory: str, layers: str | None = None
) -> Dumped:
    """Run the program in Python, and write the results of steps to `DIR/NUMBER_NAME_RESULT.npy`.

    The inputs of the run are written to `DIR/inputs.npz`, by name. Values other than arrays of
    numbers or bools are not written.

    Args:
        compiled: the program.
        arrays: in the order of its inputs.
        directory: where the files go; it is made.
        layers: a regular expression that the name of a step contains (its kernel, nodes or ops), or
            that of a node of the model. Without it, all steps are written, and no nodes apart.

    Raises:
        CompileError: the expression is invalid, nothing fits, or a file cannot be written.
    """
    try:
        wanted = re.compile(layers or "")
    except re.error as error:
        raise CompileError(f"--layers: {layers!r} is not a regular expression: {error}") from None
    built, held, _ = compiled.checked(arrays, None)
    steps = built.program.manifest["steps"]
    described = described_steps(built)
    names = [_name(step, *of_step) for step, of_step in zip(steps, described, strict=True)]
    ops = {number: entry.ops for number, entry in kernel_entries(built).items()}
    fits = [
        any(map(wanted.search, (symbol, *nodes, *ops.get(number, ()))))
        for number, (nodes, _, symbol) in enumerate(described)
    ]
    nodes: list[ModelNode] = []
    if layers is not None:
        alone = {nodes[0] for nodes, _, _ in described if len(nodes) == 1}
        chosen = [n for n in model_nodes(compiled.source) if any(map(wanted.search, n.names))]
        nodes = [node for node in chosen if alone.isdisjoint(node.names)]
    if not any(fits) and not nodes:
        known = ", ".join(dict.fromkeys(names))
        raise CompileError(f"--layers: no step or node fits {layers!r}; steps are {known}")
    files: list[Path] = []

    def note(index: int, _begin: int, _end: int, live: Mapping[int, Any]) -> None:
        if fits[index]:
            made = [live.get(value) for value in steps[index]["outputs"]]
            files.extend(_written(directory, f"{index:03}_{_file_name(names[index])}", made))

    names_of_inputs = [spec.name for spec in compiled.inputs]
    write_archive(Path(directory) / "inputs.npz", dict(zip(names_of_inputs, held, strict=True)))
    built.program.run_in_python(held, None, note)
    return Dumped(files, _apart(compiled, built, held, nodes, directory))


def _apart(
    compiled: TensorProgram,
    built: Built,
    arrays: Sequence[Array],
    nodes: Sequence[ModelNode],
    directory: str,
) -> list[tuple[str, str, list[Path]]]:
    """Write the values of nodes that are in no step of their own."""
    if not nodes:
        return []
    source, names = with_results(compiled.source, nodes)
    feed = dict(zip([spec.name for spec in compiled.inputs], arrays, strict=True))
    made_now = compiled.variant(source).run(feed)
    results = iter([made_now[name] for name in names])
    states, taken = _states(compiled, built), set[str]()
    found: list[tuple[str, str, list[Path]]] = []
    for node in nodes:
        name = node.names[0]
        state = next((states[n] for n in node.names if n in states), OPTIMISED_OUT)
        stem = _file_name(name)
        while stem in taken:
            stem += "_"
        taken.add(stem)
        made = [next(results) for _ in node.results]
        found.append((name, state, [*_written(directory, stem, made)]))
    return found


def _states(compiled: TensorProgram, built: Built) -> dict[str, str]:
    """What happened to each node of the model that a step computes, by name."""
    rows = [
        StepTime(*described, 0, 0, None, number)
        for number, described in enumerate(described_steps(built))
    ]
    return {
        found.node: f"a part of the step {found.node!r}" if found.state == EXECUTED else found.state
        for found in node_states(compiled, rows)
    }


def write_archive(path: Path, arrays: Mapping[str, Array]) -> None:
    """Write arrays by name to a file that `numpy.load` reads; names may be any text.

    Raises:
        CompileError: the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with ZipFile(path, "w") as archive:
            for name, array in arrays.items():
                if _is_plain(array):
                    with archive.open(f"{name}.npy", "w") as member:
                        np.lib.format.write_array(member, array, allow_pickle=False)
    except OSError as error:
        raise CompileError(f"cannot write it: {error.strerror}", file=str(path)) from None


def _is_plain(value: object) -> TypeGuard[Array]:
    """Whether a value is an array of numbers or bools."""
    return is_array(value) and not value.dtype.hasobject


def _name(step: Step, nodes: Sequence[str], kind: str, symbol: str) -> str:
    """The name of a step: its kernel, or the first of its nodes."""
    return symbol or step.get("node") or next(iter(nodes), kind)


def _file_name(name: str) -> str:
    """A name as a part of the name of a file."""
    return re.sub(r"[^\w.-]+", "_", name)[:LONGEST]


def _written(directory: str, stem: str, values: Sequence[object]) -> Iterator[Path]:
    """Write `DIR/STEM_RESULT.npy` for each value that is an array."""
    for number, array in enumerate(values):
        if not _is_plain(array):
            continue
        path = Path(directory) / f"{stem}_{number}.npy"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            np.save(path, array, allow_pickle=False)
        except OSError as error:
            raise CompileError(f"cannot write it: {error.strerror}", file=str(path)) from None
        yield path
