"""The bytes of a finished program in the cache.

    "SNP4"   sum   8 bytes: length of the header   header (JSON)   objects   constants

`sealed.py` defines the sum. The header has the manifest, the facts for reports, and the offsets of
the constants; large constants are in a separate file (`constant_files.py`). Reading checks
everything except the instructions and that file: the form of the header, the laws of the manifest,
the offsets, and that the code is an object for this machine and has the kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from snippets_mlir.codegen.stubs.objects import stub_object
from snippets_mlir.dialects.builtin.size_estimates import evaluate
from snippets_mlir.dialects.builtin.size_text import size_data, size_from
from snippets_mlir.dialects.builtin.slots import FIRST_OFFSET
from snippets_mlir.driver.building.built import Built
from snippets_mlir.driver.cache.constant_files import LARGE, PAGE, keep_constants, mapped
from snippets_mlir.driver.cache.entry_parts import header_of, joined
from snippets_mlir.driver.cache.json_form import has_form
from snippets_mlir.driver.cache.program_header import ConstantPlace, Header, KernelData
from snippets_mlir.driver.cache.sealed import unsealed
from snippets_mlir.driver.cache.step_executors import kept_executors, opened_executors
from snippets_mlir.driver.reports.kernel_entry import KernelEntry, KernelFacts, OpaqueOp
from snippets_mlir.runtime.arguments.arrays import Array, dtype_from_name
from snippets_mlir.runtime.manifests.filling import filled_in
from snippets_mlir.runtime.manifests.laws import check_manifest
from snippets_mlir.runtime.manifests.manifest import Manifest
from snippets_mlir.runtime.program import Executor, Program
from snippets_mlir.support.cache_lines import LINE, empty_on_line
from snippets_mlir.support.meanwhile import meanwhile

if TYPE_CHECKING:
    from snippets_mlir.codegen.load import LoadedObject

MAX_CONSTANTS = 16 << 20
"""Bytes of constants in an entry, and of models; large constants are not in it."""

MAGIC = b"SNP4"


def encoded(
    built: Built, more: Mapping[str, object], magic: bytes = MAGIC, regions: Sequence[bytes] = ()
) -> bytes | None:
    """A program as bytes, None if a part of it cannot be encoded; its large constants are stored.

    `more` goes into the header, and `regions`, the data of its executors, after the constants.
    Without `regions`, the header describes the executors.
    """
    program = built.program
    if program.executors and not regions:
        kept = kept_executors([*program.executors.values()])
        if kept is None:
            return None
        more = {**more, "executors": [told for told, _ in kept]}
        regions = [data for _, data in kept]
    held = program.constants
    room = MAX_CONSTANTS - sum(map(len, regions))
    least = LARGE if _below(LARGE, held) <= min(LARGE, room) else PAGE
    if len(program.executors) != len(regions) or _below(least, held) > room:
        return None
    try:
        file = keep_constants(held, least)
    except OSError:
        return None
    constants: list[dict[str, Any]] = []
    data: list[bytes] = []
    offset = 0
    for value, array in held.items():
        place = {"value": value, "dtype": str(array.dtype), "shape": array.shape}
        place |= {"bytes": array.nbytes}
        if file is not None and value in file.offsets:
            constants.append({**place, "in_file": True, "offset": file.offsets[value]})
            continue
        constants.append({**place, "in_file": False, "offset": offset})
        data.append(array.tobytes())
        offset += array.nbytes
    images = () if built.code is None else built.code.images
    header = {
        **more,
        "manifest": program.manifest,
        "file": None if file is None else file.data,
        "passes": built.passes,
        "kernels": [asdict(kernel) for kernel in built.kernels],
        "opaque": built.opaque,
        "constants": constants,
        "code": [*map(len, images)],
    }
    return joined(magic, header, [*images, *data, *regions])


def _below(size: int, constants: Mapping[int, Array]) -> int:
    """The bytes of all constants that are smaller than `size`."""
    return sum(array.nbytes for array in constants.values() if array.nbytes < size)


def loaded(images: Sequence[bytes], symbols: Collection[str]) -> LoadedObject:
    """The code of kernels. Programs without any do not load LLVM."""
    from snippets_mlir.codegen.load import LoadedObject

    return LoadedObject(images, symbols)


def decoded(
    raw: bytes,
    threads: int,
    magic: bytes = MAGIC,
    form: type[Header] = Header,
    opened: Callable[[Header, memoryview], Sequence[Executor]] | None = None,
) -> tuple[Program, LoadedObject | None, Header]:
    """The program of an entry, its code, and its header of type `form`.

    `opened` makes the executors from the header and the data after the constants; sizes then have
    symbols.

    Sessions open in a thread while the rest is checked and loaded. Raises some exception for bytes
    that `encoded` would not produce.
    """
    raw = unsealed(magic, raw)
    header, code_at, rest_at = header_of(raw)
    ends = [*accumulate(header["code"], initial=code_at)]
    rest = memoryview(raw)[rest_at:]
    begun: AbstractContextManager[Callable[[], Sequence[Executor]]] = nullcontext(tuple)
    if opened is not None:
        begun = meanwhile(lambda: opened(header, rest))
    elif (told := header.get("executors")) is not None:
        if (tensors := header.get("tensors")) is not None:
            mapped(tensors)  # sees that it is there
        begun = meanwhile(lambda: opened_executors(told, rest, threads))
    with begun as executors:
        _check_header(header, form, template="template" in header or opened is not None)
        manifest = header["manifest"]
        if min(header["code"], default=1) < 1 or ends[-1] > len(raw):
            raise ValueError("less code than the header says")
        symbols = {step["symbol"] for step in manifest["steps"] if "symbol" in step}
        images = [raw[begin:end] for begin, end in pairwise(ends)]
        code = loaded(images, symbols) if images else None
        if symbols and code is None:
            raise ValueError("kernels without code")
        addresses = {symbol: code.address(symbol) for symbol in symbols} if code else {}
        file = None if header["file"] is None else mapped(header["file"])
        places = header["constants"]
        constants = {c["value"]: _constant(raw, ends[-1], c, manifest, file) for c in places}
        if constants.keys() != {c["value"] for c in manifest["constants"]}:
            raise ValueError("other constants than the manifest has")
        executed = sum(step["kind"] == "execute" for step in manifest["steps"])
        if symbols and executed:  # this thread waits for sessions, and the first call needs it
            stub_object("launch")
        if len(given := executors()) != executed:
            raise ValueError("other executors than the manifest has")
        return Program(manifest, addresses, constants, given, threads, code=code), code, header


def _check_header(header: Header, form: type[Header], *, template: bool) -> None:
    """Some exception for a header that no compilation makes; a template's sizes have symbols."""
    parts: dict[str, object] = {**header["manifest"]}
    if not all(isinstance(parts[name], list) for name in ("values", "inputs", "outputs")):
        raise ValueError("no list of values")
    # A template is looked at as a call fills it in: its formulas are read, and give numbers.
    filled = filled_in(header["manifest"], [2] * FIRST_OFFSET) if template else header["manifest"]
    if not has_form({**header, "manifest": filled}, form):
        raise ValueError("a header of another form")
    domains = {None, *(step.get("domain") for step in header["manifest"]["steps"])}
    if not {kernel["domain"] for kernel in header["kernels"]} <= domains:
        raise ValueError("a domain of no kernel")
    for facts in filter(None, (kernel["facts"] for kernel in header["kernels"])):
        if size_data(size_from(facts["scratch"])) != facts["scratch"]:
            raise ValueError("a size in another form")
    if "template" in header:
        shapes = header["template"]["shapes"]
        for size in chain.from_iterable(shapes):
            if size_data(size_from(size)) != size:
                raise ValueError("a size in another form")
        tied, asked = header["template"]["tied"], header["template"]["asked"]
        told = (place for place, _ in tied)
        if len(asked) != len(header["template"]["classes"]):
            raise ValueError("sizes without a class")
        for argument, dim in (*chain.from_iterable(header["template"]["dims"]), *told):
            if not isinstance(shapes[argument][dim], str):
                raise ValueError("a size of the call that is known")
        for text in (
            *header["template"]["room"],
            *(text for _, text in tied),
            *(text for size, _, work in asked for text in (size, work)),
        ):
            evaluate(size_from(text), [2] * FIRST_OFFSET)
    check_manifest(filled, template=template)


def built_of(found: tuple[Program, LoadedObject | None, Header], seconds: float) -> Built:
    """The result of `decoded` as a build that took `seconds`."""
    program, code, header = found
    kernels = tuple(map(kernel_of, header["kernels"]))
    opaque = tuple(OpaqueOp(*fields) for fields in header["opaque"])
    return Built(program, code, header["passes"], kernels, opaque, {"program cache": seconds})


def _constant(
    raw: bytes, start: int, place: ConstantPlace, manifest: Manifest, file: memoryview | None
) -> Array:
    told = manifest["values"][place["value"]]
    if (place["dtype"], place["shape"]) != (told["dtype"], told["shape"]):
        raise ValueError("a constant of another type")
    at, dtype = place["offset"], dtype_from_name(place["dtype"])
    if at < 0 or place["bytes"] < 0:
        raise ValueError("a constant before the code")
    if place["in_file"]:
        if file is None or at % LINE:
            raise ValueError("a constant in no file, or across cache lines")
        return np.frombuffer(file[at : at + place["bytes"]], dtype).reshape(place["shape"])
    data = np.frombuffer(raw[start + at : start + at + place["bytes"]], dtype)
    array = empty_on_line(place["shape"], data.dtype)
    array[...] = data.reshape(place["shape"])
    array.flags.writeable = False
    return array


def kernel_of(data: KernelData) -> KernelEntry:
    """The kernel of its data."""
    facts = data["facts"]
    return KernelEntry(
        name=data["name"],
        ops=tuple(data["ops"]),
        names=tuple(data["names"]),
        reason=data["reason"],
        facts=None if facts is None else KernelFacts(**facts),
        domain=data["domain"],
        place=data.get("place"),
    )
