"""The interface of stubs and their callers: structs, limits, and words with a packed meaning.

Foreign structs are as in their headers: `PyObject` and `PyArrayObject_fields` belong to the ABIs of
CPython and NumPy; `runtime/arguments/c_function.py` checks them in each process. Requests of
streams and the segfault detector have separate files (`request_interface.py`,
`fault_interface.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from snippets_mlir.codegen.stubs.layout import Layout

LINE = 64
"""Bytes of a cache line, and of a vector whose alignment affects the time of a load."""

LEAST_GRAINS = 128
"""The number of whole grains in a range from which computing two of them twice pays off."""

ARGS = Layout("Args", data="pointer", rt="pointer", scratch="pointer")
"""The arguments of a kernel: addresses of arrays, runtime slots, scratch memory."""

RUNTIME = Layout(
    "Runtime",
    parallel="pointer",
    thread_num="pointer",
    num_threads="pointer",
    busy="pointer",
    crew="pointer",
)
"""Functions of an OpenMP runtime: `GOMP_parallel`, and the two for a worker's number and the number
of workers. `busy`: an `int32_t`, whether a team works on the cores that these calls share. `crew`:
the `Crew` that is used instead of the functions; null for none."""

CREW = Layout(
    "Crew",
    word="i64",
    rest="i64",
    work="pointer",
    size="i64",
    spins="i64",
    patience="i64",
    unused=("i64", 2),
    done="i64",
    more=("i64", 7),
    taken="i64",
    last=("i64", 7),
)
"""Threads that wait for kernels. The struct is followed by its members. `word`: the number of the
kernel, and in its low 16 bits the number of its parts. `rest`: whether members sleep instead of
spinning. `work`: the `Launch` of the kernel. `size`: the number of members. `spins`: pauses
for which a member looks for the next kernel. `patience`: pauses for which the caller spins.
`done`: the slices that members have run. `taken`: the number of the kernel and, in its low 16 bits,
how many slices of the caller's part are taken. The words that the caller waits for, those that
members wait for, and `taken` are on separate cache lines."""

PARTS_OF_WORD = 1 << 16
"""The number of values of the low bits of `Crew.word`, which count parts."""

MEMBER = Layout(
    "Member",
    crew="pointer",
    index="i64",
    taken="i64",
    asleep="i64",
    semaphore=("i64", 4),
)
"""One thread. `index`: the number of its part. `taken`: for its part, like `Crew.taken`.
`semaphore`: a `sem_t` of glibc or musl."""

LAUNCH = Layout(
    "Launch",
    kernel="pointer",
    runtime="pointer",
    args=ARGS,
    domain="i64",
    grain="i64",
    aligned="i64",
)
"""The data that the workers of one team share."""

OBJECT = Layout("PyObject", ob_refcnt="i64", ob_type="pointer")
"""The head of all objects of CPython with one lock (`Py_GIL_DISABLED` not set)."""

ARRAY = Layout(
    "PyArrayObject_fields",
    ob_base=OBJECT,
    data="pointer",
    nd="i32",
    dimensions="pointer",
    strides="pointer",
    base="pointer",
    descr="pointer",
    flags="i32",
)
"""An array of NumPy up to its flags (`numpy/ndarraytypes.h`)."""

PLAN = Layout(
    "Plan",
    array_type="pointer",
    tuple_type="pointer",
    none="pointer",
    taken="pointer",
    runtime="pointer",
    launch="pointer",
    forked="pointer",
    times="pointer",
    release="i64",
    inputs="i64",
    arrays="i64",
    steps="i64",
    busy="i64",
    first_step="i64",
)
"""The head of the table of a network.

`array_type`, `tuple_type`, `none`: `numpy.ndarray`, `tuple` and `None`. `taken`: the result of a
call while the network is busy. `runtime` and `launch`: a `Runtime` and `snippets_launch_aligned`.
`forked`: an `int32_t` that is not 0 if no team may be started. `times`: two 64-bit integers for
each step, its begin and end in nanoseconds; null if they are not recorded. `release`: whether the
interpreter's lock is released. `inputs`, `arrays`, `steps`: the number of inputs, of inputs and
outputs, and of steps. `busy`: whether a request runs. `first_step`: the number of the word at which
the steps begin. After the head come an `ArraySpec` for each array, a `Step` for each step, and the
words that these refer to by number.
"""

SPEC = Layout(
    "ArraySpec",
    dtype="pointer",
    bytes="i64",
    rank="i64",
    flags="i64",
    sizes="i64",
    places="i64",
    first_place="i64",
    start="i64",
    end="i64",
)
"""The requirements for an array: the dtype (the same object), the rank, the required flags, and the
sizes, from word `sizes` on. The address of its first element goes into `places` words, whose
numbers are in the words from `first_place` on. `start` and `end`: the addresses of the current
call's array."""

STEP = Layout(
    "Step",
    kernel="pointer",
    domain="i64",
    grain="i64",
    team="i64",
    aligned="i64",
    check="pointer",
    data="pointer",
    rt="pointer",
    scratch="pointer",
)
"""One kernel and its arguments; the last three fields are its `Args`. With a team of 0, `kernel` is
a Python object that is called without arguments if `check` is null or does not return 0. `check` is
a function that does the work of the object except raising errors (`index_checks.py`). Its arguments
are the indices (the first array), their copy (the third array), `domain` (their number), `grain`
(the size of the dim), and `aligned` (whether negative indices count from the end)."""


class SizeOp(IntEnum):
    """What a `SizeStep` does with two words: `snippets_sizes` (`size_steps.py`) has the C code.

    `AT_LEAST` gives 1 or 0. `NEED` ends the run if the first word is less than the second.
    """

    ADD = 0
    MULTIPLY = 1
    CEILDIV = 2
    MIN = 3
    MAX = 4
    AT_LEAST = 5
    NEED = 6


SIZE_STEP = Layout("SizeStep", op="i64", result="i64", a="i64", b="i64")
"""One step from the symbols of a call to the words of a network: the numbers of three words."""

SIZE_LIMIT = (1 << 62) - 1
"""The largest result of a step; no array has a larger number."""

TIME = Layout("timespec", seconds="i64", nanoseconds="i64")


def aligned_word(aligned: Sequence[int] | None) -> int:
    """The argument `aligned` of `snippets_range` for that field of a manifest's step; 0 for
    none.
    """
    if aligned is None:
        return 0
    array, size = aligned
    return array << 8 | size
