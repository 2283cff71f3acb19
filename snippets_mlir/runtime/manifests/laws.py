"""The laws of manifests of finished programs, besides their form.

`Program` relies on them. A manifest from a file is checked before it runs: numbers of values exist,
every value is written before it is read, and sizes belong to their arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from snippets_mlir.analysis.placement import ALIGNMENT
from snippets_mlir.runtime.arguments.arrays import dtype_from_name
from snippets_mlir.runtime.manifests.manifest import Manifest, Step, Value

_LIMIT = 1 << 63
"""Bytes that no array has."""


def check_manifest(manifest: Manifest, *, template: bool = False) -> None:
    """`ValueError` for a manifest that no compilation makes.

    Args:
        manifest: of a program of kernels, views and executed steps, in the right form.
        template: whether sizes may have symbols; sizes are then not checked.
    """
    values = manifest["values"]
    for value in values:
        size = dtype_from_name(value["dtype"]).itemsize
        if not template:
            _expect(_elements(value) * size < _LIMIT, "an array that is too large")
    defined = {value["value"] for value in (*manifest["inputs"], *manifest["constants"])}
    _expect(defined <= set(range(len(values))), "a value that is not there")
    for step in manifest["steps"]:
        _expect({*step["inputs"]} <= defined, "a value that is read before it is there")
        new = {*step["outputs"]}
        _expect(len(new) == len(step["outputs"]) and not new & defined, "a value of two steps")
        defined |= new
        _expect(defined <= set(range(len(values))), "a value that is not there")
        _check_step(step, values, template)
    for argument in (*manifest["inputs"], *manifest["outputs"]):
        _expect(argument["value"] in defined, "an output that nothing writes")
        _expect(_same(argument, values[argument["value"]]), "an argument of another type")
    if "arena" in manifest:
        _check_memory(manifest)


def _check_memory(manifest: Manifest) -> None:
    """Check that the planned memory exists and is large enough for its contents."""
    owners: dict[int, int] = {}
    for step in manifest["steps"]:
        if step["kind"] == "view":
            (source,), (view,) = step["inputs"], step["outputs"]
            owners[view] = owners.get(source, source)
    outputs = [owners.get(v, v) for v in (output["value"] for output in manifest["outputs"])]
    arena = manifest.get("arena", 0)
    _expect(0 <= arena < _LIMIT, "a wrong arena")
    for number, value in enumerate(manifest["values"]):
        match value.get("mem"):
            case None | ["own", *_]:
                pass
            case ["output", int() as index, *_]:
                held = 0 <= index < len(outputs) and outputs[index] == number
                _expect(held, "a value in the memory of another output")
            case ["arena", int() as offset, int() as size]:
                bytes_ = _elements(value) * dtype_from_name(value["dtype"]).itemsize
                _expect(offset >= 0 and offset % ALIGNMENT == 0, "a value at a wrong place")
                _expect(bytes_ <= size <= arena - offset, "a value that its memory does not hold")
            case _:
                _expect(False, "memory of no kind")


def _check_step(step: Step, values: Sequence[Value], template: bool) -> None:
    if step["kind"] == "view":
        _expect(len(step["inputs"]) == len(step["outputs"]) == 1, "a view of several values")
        source, target = values[step["inputs"][0]], values[step["outputs"][0]]
        rank, new_rank = len(_sizes(source)), len(_sizes(target))
        dims = step.get("dims") or [None] * new_rank
        _expect(all(d is None or 0 <= d < rank for d in dims), "a dim that is not there")
        _expect(len(dims) == new_rank, "a view of another rank")
        same = source["dtype"] == target["dtype"]
        fits = template or _elements(source) == _elements(target)
        _expect(same and fits, "a view of another size")
        return
    if step["kind"] == "check":
        _check_check(step, values)
        return
    if step["kind"] == "execute":
        _expect("symbol" not in step, "an executor with code")
        return
    for value in (*step["inputs"], *step["outputs"]):
        _expect(None not in _sizes(values[value]), "a kernel on unknown sizes")
    _expect(step["kind"] == "kernel" and "symbol" in step, "a step that is no kernel")
    _expect("counters" not in step and "sites" not in step, "a kernel that reports")
    domain, grain, scratch = step.get("domain"), step.get("grain"), step.get("scratch") or 0
    _expect(domain is not None and 0 < (grain or 0) < _LIMIT, "a kernel without a domain")
    _expect(0 <= (step.get("cost") or 0) < _LIMIT, "a cost below 0 or without an end")
    _expect("rt" not in step or template, "sizes of a call")
    sizes: list[object] = [domain or 0, scratch, step.get("space") or 0]
    for size in sizes:  # in a template some are formulas
        _expect(template if not isinstance(size, int) else 0 <= size < _LIMIT, "a wrong domain")
    if (aligned := step.get("aligned")) is not None:
        arrays = len(step["inputs"]) + len(step["outputs"])
        _expect(len(aligned) == 2 and 0 <= aligned[0] < arrays, "an array that is not there")
        _expect(aligned[1] in (1, 2, 4, 8), "elements of another size")


def _check_check(step: Step, values: Sequence[Value]) -> None:
    _expect((len(step["inputs"]), len(step["outputs"])) == (2, 1), "a check of other indices")
    indices, operand = (values[value] for value in step["inputs"])
    (result,) = step["outputs"]
    _expect(_same(indices, values[result]), "checked indices of another type")
    _expect(dtype_from_name(indices["dtype"]).kind in "iu", "indices that are no integers")
    _expect(0 <= step.get("axis", -1) < len(_sizes(operand)), "a check along no dim")
    _expect("from_end" in step and "symbol" not in step, "a check in another form")


def _elements(value: Value) -> int:
    sizes = [size for size in _sizes(value) if size is not None]
    known = len(sizes) == len(_sizes(value)) and all(size >= 0 for size in sizes)
    _expect(known, "a size that is not known")
    return prod(sizes)


def _sizes(value: Value) -> list[int | None]:
    if value["shape"] is None:
        raise ValueError("the manifest has a kernel or view of unknown rank")
    return value["shape"]


def _same(argument: Value, value: Value) -> bool:
    return (argument["shape"], argument["dtype"]) == (value["shape"], value["dtype"])


def _expect(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(f"the manifest has {what}")
