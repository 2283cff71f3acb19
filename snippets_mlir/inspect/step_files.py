"""Files about the steps of a run: times as CSV or as a Chrome trace, and the arrays that they make.

write_times("steps.csv", network.node_profile())
write_trace("trace.json", network.profile())        for chrome://tracing or ui.perfetto.dev
dump_tensors(compiled, arrays, "tensors", "Conv.*")
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeGuard
from zipfile import ZipFile

import numpy as np

from snippets_mlir.driver.networks.node_states import EXECUTED, NodeState
from snippets_mlir.driver.networks.step_times import StepTime, nodes_of
from snippets_mlir.driver.programs.tensors import TensorProgram
from snippets_mlir.inspect.chrome_trace import event, write_events
from snippets_mlir.runtime.arrays import Array, is_array
from snippets_mlir.runtime.manifest import Step
from snippets_mlir.support.errors import CompileError

COLUMNS = ("stream", "node", "state", "kind", "kernel", "begin (us)", "time (us)")


def write_times(file: str, nodes: Sequence[NodeState]) -> None:
    """Write a line of CSV for each node of the model; begins count from the first one.

    The line of the node that gives a step its name has the times; the others are fused into it, or
    optimised out.

    Raises:
        CompileError: the file cannot be written.
    """
    first = min((node.step.begin for node in nodes if node.step is not None), default=0)
    try:
        with Path(file).open("w", newline="", encoding="utf-8") as out:
            writer = csv.writer(out)
            writer.writerow(COLUMNS)
            for node in nodes:
                stream, step = "" if node.stream is None else node.stream, node.step
                how = ("", "") if step is None else (step.kind, step.symbol)
                times: tuple[object, object] = ("", "")
                if step is not None and node.state == EXECUTED:
                    times = (step.begin - first) / 1000, step.nanoseconds / 1000
                writer.writerow([stream, node.node, node.state, *how, *times])
    except OSError as error:
        raise CompileError(f"cannot write it: {error.strerror}", file=file) from None


def write_trace(file: str, rows: Sequence[StepTime]) -> None:
    """Write the steps as JSON in Chrome's trace format, a row for each stream.

    Raises:
        CompileError: the file cannot be written.
    """
    first = min((row.begin for row in rows), default=0)
    events = [
        event(
            row.symbol or " ".join(row.nodes) or row.kind,
            row.kind,
            row.begin - first,
            row.nanoseconds,
            0 if row.stream is None else row.stream,
            nodes=[*row.nodes],
        )
        for row in rows
    ]
    write_events(file, events)


def dump_tensors(
    compiled: TensorProgram, arrays: Sequence[Array], directory: str, layers: str = ""
) -> list[Path]:
    """Run the program in Python, and write what steps make to `DIR/NUMBER_NAME_RESULT.npy`.

    The inputs of the run are written to `DIR/inputs.npz`, by name. All of these files may be
    inputs of `snippets-run --input`. What is no array of numbers or bools is not written.

    Args:
        compiled: what is run.
        arrays: in the order of its inputs.
        directory: where the files go; it is made.
        layers: a regular expression that the name of a step contains: its kernel, nodes or ops.

    Returns:
        The files of the steps.

    Raises:
        CompileError: the expression is none, no step fits, or a file cannot be written.
    """
    try:
        wanted = re.compile(layers)
    except re.error as error:
        raise CompileError(f"--layers: {layers!r} is no regular expression: {error}") from None
    built, held, _ = compiled.checked(arrays, None)
    steps = built.program.manifest["steps"]
    described = [nodes_of(built, step) for step in steps]
    names = [_name(step, *of_step) for step, of_step in zip(steps, described, strict=True)]
    ops = {entry.name: entry.ops for entry in built.kernels}
    fits = [
        bool(wanted.search(" ".join((symbol, *nodes, *ops.get(symbol, ())))))
        for nodes, _, symbol in described
    ]
    if not any(fits):
        known = ", ".join(dict.fromkeys(names))
        raise CompileError(f"--layers: no step fits {layers!r}; steps are {known}")
    files: list[Path] = []

    def note(index: int, _begin: int, _end: int, live: Mapping[int, Any]) -> None:
        if fits[index]:
            files.extend(_written(directory, index, names[index], steps[index]["outputs"], live))

    names_of_inputs = [spec.name for spec in compiled.inputs]
    write_archive(Path(directory) / "inputs.npz", dict(zip(names_of_inputs, held, strict=True)))
    built.program.run_in_python(held, None, note)
    return files


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
    return symbol or step.get("node") or " ".join(nodes) or kind


def _written(
    directory: str, index: int, name: str, values: Sequence[int], live: Mapping[int, Any]
) -> Iterator[Path]:
    for number, value in enumerate(values):
        array = live.get(value)
        if not _is_plain(array):
            continue
        stem = re.sub(r"[^\w.-]+", "_", name)
        path = Path(directory) / f"{index:03}_{stem}_{number}.npy"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            np.save(path, array, allow_pickle=False)
        except OSError as error:
            raise CompileError(f"cannot write it: {error.strerror}", file=str(path)) from None
        yield path
