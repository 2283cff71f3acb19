"""Our kernels as custom operators inside an onnxruntime session.

    options = onnxruntime.SessionOptions()
    register(options, [Operator("Gate", (1, 1), 1, kernel, 16, 0, "flat", 1, (), (), threads)])
    session = onnxruntime.InferenceSession(model, options)      a node `snippets.Gate` in it

onnxruntime loads operators from a shared object in a file. No compiler or linker is needed: the
file is anonymous and in memory, and its only function jumps to `snippets_register`
(`codegen/shared_object.py`). That function reads the operators from a table of this process
(`codegen/stubs/ort_operators.py`), so the file is the same for every registration.

onnxruntime keeps pointers to the operators in options and sessions. So tables are never freed; they
take 2 KB per operator. The caller keeps the code of the kernels as long as the session.
"""

from __future__ import annotations

import ctypes
import os
import platform
import re
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

from snippets_mlir.codegen.elf import MACHINES
from snippets_mlir.codegen.locks import LOADING, forever
from snippets_mlir.codegen.shared_object import shared_object
from snippets_mlir.codegen.stubs.objects import stub_object
from snippets_mlir.codegen.stubs.ort_interface import (
    CUSTOM_OP,
    FLAT,
    MOST_DIMS,
    MOST_INPUTS,
    PLANES,
    TABLE,
    VERSION,
)

DOMAIN = "snippets"
"""The domain of the operators in a model."""

_FORMS = {"flat": FLAT, "planes": PLANES}
_ENTRY = "RegisterCustomOps"
_CODE = partial(stub_object, "operators")


class Operator(NamedTuple):
    """A kernel, and how a node of onnxruntime calls it.

    The output has the shape of input 0. Any other input has this shape, or a shape that ONNX
    broadcasts to it, if its number is in `scalars` or `planes`. An input of another shape is an
    error of onnxruntime.

    Attributes:
        name: the type of the node (`op_type`), in `DOMAIN`.
        types: for each input its ONNX element type (`onnx.TensorProto.FLOAT` is 1).
        result: the element type of the output.
        kernel: the address of a kernel, which takes the inputs, then the output. Its runtime slots
            are `n`, the number of elements of input 0, and two more, which are 1 for `flat`.
        grain: of the kernel: ranges of its domain are multiples of this.
        aligned: `aligned_word` of the kernel's step.
        form: `flat` for an input 0 of any shape. `planes`: it is `[N, C, d2, d3, ...]`, and the
            other slots are `plane = d2 * d3 * ...` and `count = N * C / inner`.
        inner: channels of a block, which are next to each other in memory: 1, or 8 or 16 for
            onnxruntime's NCHWc layout.
        scalars: numbers of the inputs that have one element.
        planes: numbers of the inputs that have an element for each channel: `[N, C, 1, 1, ...]`.
        threads: of the session: the number of ranges that run at the same time.
        domain: numbers of the runtime slots whose product is the kernel's domain. None: `n` for
            `flat`; for `planes`, `count` if `inner` is 1 (a range has whole rows), else
            `plane * count`.
        places: for each input, the number of its kernel argument; None: they are in order.
    """

    name: str
    types: tuple[int, ...]
    result: int
    kernel: int
    grain: int
    aligned: int
    form: str
    inner: int
    scalars: tuple[int, ...]
    planes: tuple[int, ...]
    threads: int
    domain: tuple[int, ...] | None = None
    places: tuple[int, ...] | None = None

    def complete(self) -> Operator:
        """The operator with defaults for None."""
        by_form = (0,) if self.form == "flat" else (2,) if self.inner == 1 else (1, 2)
        domain = by_form if self.domain is None else self.domain
        places = tuple(range(len(self.types))) if self.places is None else self.places
        return self._replace(domain=domain, places=places)


def supported() -> str | None:
    """Why operators cannot be registered in this process; None: they can.

    It imports onnxruntime.
    """
    if not sys.platform.startswith("linux") or not hasattr(os, "memfd_create"):
        return "operators inside of onnxruntime need Linux with memfd_create"
    if platform.machine() not in MACHINES:
        return f"there are no operators inside of onnxruntime for {platform.machine()}"
    try:
        engine = import_module("onnxruntime")
    except ImportError:
        return "onnxruntime is not installed"
    found: str = engine.__version__
    parts = re.match(r"(\d+)\.(\d+)", found)
    if parts is None or (int(parts[1]), int(parts[2])) < (1, VERSION):
        return f"operators inside of onnxruntime need version 1.{VERSION} or later; this is {found}"
    return None


def register(options: Any, operators: Sequence[Operator]) -> None:
    """Add operators to onnxruntime's `SessionOptions`, in the domain `DOMAIN`.

    One call for each `options`, with all operators of its sessions, and not inside of `ENGINE`.

    Raises:
        ValueError: an operator does not match the description of `Operator`.
        OSError: the process does not support this, or may not load code from memory.
    """
    operators = [operator.complete() for operator in operators]
    for operator in operators:
        _check(operator)
    if (why := supported()) is not None:
        raise OSError(why)
    code = _CODE()
    structs, table = _table(operators)
    word = ctypes.c_int64.from_address(code.address("snippets_operators"))
    file = os.memfd_create("snippets_operators", os.MFD_CLOEXEC)
    try:
        entry = code.address("snippets_register")
        _write(file, shared_object(_ENTRY, entry, platform.machine()))
        with LOADING:
            word.value = ctypes.addressof(table)
            try:
                options.register_custom_ops_library(_path_of(file))
            finally:
                word.value = 0
    except Exception as error:  # onnxruntime has an exception class per status code
        raise OSError(f"onnxruntime cannot load operators: {error}") from None
    finally:
        os.close(file)
    if not all(struct.api for struct in structs):
        raise OSError(f"onnxruntime has no version {VERSION} of its interface")


def _path_of(file: int) -> str:
    """A path of an open file that nothing else loads a library from.

    The C library identifies libraries by path, even if the path now has other contents.
    `/proc/self/fd/7`, which others may also use, may be such a path; our path always has the same
    library.
    """
    process = os.getpid()
    return f"/proc/{process}/task/{process}/fd/{file}"


def _check(operator: Operator) -> None:
    """Refuse operators that machine code cannot handle."""
    count, numbers = len(operator.types), {*operator.scalars, *operator.planes}
    laws = {
        "types": 1 <= count <= MOST_INPUTS,
        "grain": operator.grain >= 1,
        "threads": operator.threads >= 1,
        "form": operator.form in _FORMS,
        "inner": operator.inner in (1, 8, 16),
        "scalars or planes": all(1 <= number < count for number in numbers)
        and len(numbers) == len(operator.scalars) + len(operator.planes),
        "planes": operator.form == "planes" or not operator.planes,
        "domain": sorted(operator.domain or ()) in ([0], [1], [2], [1, 2]),
        "places": sorted(operator.places or ()) == [*range(count)],
        "kernel": operator.kernel != 0,
    }
    for field, holds in laws.items():
        if not holds:
            raise ValueError(f"operator {operator.name!r}: invalid {field}: {operator}")


def _write(file: int, image: bytes) -> None:
    while image:
        image = image[os.write(file, image) :]


def _table(operators: Sequence[Operator]) -> tuple[Any, ctypes.Structure]:
    """The structs of operators, and their table; they and everything they refer to are kept."""
    structs = forever((CUSTOM_OP.structure * len(operators))())
    for struct, operator in zip(structs, operators, strict=True):
        struct.name = _pointer(operator.name)
        struct.types = _address((ctypes.c_int32 * len(operator.types))(*operator.types))
        places = operator.places or ()
        struct.places = _address((ctypes.c_int64 * len(places))(*places))
        texts = [_pointer(text) for text in _errors(operator)]
        struct.errors = _address((ctypes.c_void_p * len(texts))(*texts))
        struct.inputs = len(operator.types)
        struct.form = _FORMS[operator.form]
        struct.domain = _mask(operator.domain or ())
        struct.scalars, struct.planes = _mask(operator.scalars), _mask(operator.planes)
        for field in ("kernel", "result", "grain", "aligned", "inner", "threads"):
            setattr(struct, field, getattr(operator, field))
    made: Any = TABLE.structure
    first = ctypes.addressof(structs)
    table = made(domain=_pointer(DOMAIN), count=len(operators), operators=first)
    return structs, forever(table)


def _errors(operator: Operator) -> Iterable[str]:
    """The texts of errors, in the order of `ort_interface.py`."""
    name = f"{DOMAIN}.{operator.name}"
    yield f"{name}: input 0 has more than {MOST_DIMS} dims"
    yield f"{name}: input 0 has fewer than 3 dims"
    yield f"{name}: the channels of input 0 are no multiple of {operator.inner}"
    for number in range(len(operator.types)):
        if number in operator.scalars:
            wanted = "one element, and no more dims than input 0"
        elif number in operator.planes:
            wanted = "the sizes [N, C, 1, ...] of input 0"
        else:
            wanted = "the sizes of input 0"
        yield f"{name}: input {number} does not have {wanted}"


def _mask(numbers: Iterable[int]) -> int:
    return sum(1 << number for number in numbers)


def _pointer(text: str) -> int:
    return _address(ctypes.create_string_buffer(text.encode()))


def _address(made: Any) -> int:
    return ctypes.addressof(forever(made))
