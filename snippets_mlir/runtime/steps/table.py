"""The table of a network: its steps and the places of their arrays, as 64-bit words.

    head | a spec for each array of a call | a step for each launch | pointers, sizes, places

`codegen/stubs/interface.py` declares the parts: `PLAN`, `SPEC` and `STEP`. Steps and specs refer to
the last part: a step to its pointers by address, a spec to its sizes, and to the words that take
the address of its array, by number. A view is not a step: its value has the address of another
value.

A program has one `Table` for all its networks and for the sizes of all calls: words that every
network copies, and lists of the words that depend on the sizes of a call or on the network's
memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from snippets_mlir.codegen.stubs.objects import stub_object
from snippets_mlir.dialects.builtin.dims import MAX_SYMBOLS
from snippets_mlir.runtime.arguments.arrays import address_of
from snippets_mlir.runtime.form import Form, arrays_of
from snippets_mlir.runtime.manifests.formulas import Numbers
from snippets_mlir.runtime.parallel import threads
from snippets_mlir.runtime.steps.index_checks import check_address
from snippets_mlir.runtime.steps.size_steps import SizeSteps
from snippets_mlir.runtime.steps.table_words import (
    FIELDS,
    HEAD,
    SPEC_WORDS,
    STEP_WORDS,
    Fields,
    Launch,
    Place,
    Words,
)

if TYPE_CHECKING:
    from snippets_mlir.runtime.program import Program


def places_of(program: Program) -> dict[int, Place]:
    """The place of each value that a step or the caller touches."""
    manifest, memory = program.form.manifest, program.form.memory
    places = {v: Place(address_of(array)) for v, array in program.constants.items()}
    places |= {v: Place(slot=i) for i, v in enumerate(memory.slots)}
    places |= {v["value"]: Place(array=i) for i, v in enumerate(manifest["inputs"])}
    arrays = arrays_of_outputs(program.form)
    places |= {v: Place(array=arrays[i]) for v, i in memory.claims.items()}
    unsized = dict.fromkeys(program.form.unsized, Place())
    return {v: places[r] for v, r in enumerate(memory.frame.roots) if r in places} | unsized


def arrays_of_outputs(form: Form) -> dict[int, int]:
    """The outputs that are arrays of a call, and their numbers among its arrays."""
    return {output: len(form.inputs) + place for place, output in enumerate(form.filled)}


def launches_of(program: Program) -> list[Launch]:
    """The steps of the table: computing steps, and the copies after them.

    Before Python steps, a team that may have run a kernel rests, unless only the calling thread
    computes there.
    """
    form, sizes = program.form, program.sizes
    rests = not form.manifest.get("sessions_alone", False)
    found: list[Launch] = []
    shared: dict[int, None] = {}  # works of the kernels since a team has rested
    rest = Launch(None, None, threads.rest, team=0)
    for index, step in enumerate(form.manifest["steps"]):
        kernel = form.kernels[index]
        if kernel is not None and not kernel.empty:
            assert "symbol" in step
            address = program.addresses[step["symbol"]]
            found.append(Launch(index, step, address, values=arrays_of(step)))
            teams = sizes.teams[kernel.team] > 1 or (sizes.symbols and program.threads > 1)
            if rests and teams:
                shared[kernel.team] = None
        elif (check := form.checks[index]) is not None:
            found.append(Launch(index, step, check_address(check), 0, arrays_of(step)))
        elif step["kind"] == "view" and step["outputs"][0] in form.unsized:
            found.append(Launch(index, step, 0, 0, arrays_of(step)))
        elif step["kind"] == "execute":
            if shared:
                found.append(rest._replace(works=tuple(shared)))
                shared = {}
            found.append(Launch(index, step, 0, 0, arrays_of(step)))
    if shared and program.executors:
        found.append(rest._replace(works=tuple(shared)))
    return found


def copied_outputs(program: Program) -> list[int]:
    """The outputs that no step of the table writes in place: an input, a constant, or a repeated
    value.

    None for a program without a table: there the result of a step is the output.
    """
    if not program.has_table:
        return []
    memory, values = program.form.memory, program.sizes.values
    return [
        index
        for index, (output, described) in enumerate(
            zip(program.form.manifest["outputs"], program.form.outputs, strict=True)
        )
        if memory.claims.get(memory.frame.roots[output["value"]]) != index
        and described is not None
        and values[described.bytes]
    ]


class Table:
    """See the module.

    Attributes:
        launches: the steps; the function of a Python step belongs to a network.
        words: all words of a network, which writes the words named by the fields below.
        pointers: for each launch, the number of the word with its first pointer.
        first_step: the number of the word at which the steps begin.
        data: addresses of words, by the number of the word.
        sizes: sizes, by the number of the formula.
        teams: teams, by the number of the work.
        slots: addresses in the arena, by the number of the slot.
        rows: addresses of runtime slots, by the number of the row.
        first_row: the number of the word with the first runtime slot of all.
        scratch: the address of the scratchpads; its numbers have no meaning.
        aligned: how ranges are aligned, by number in `alignments`: the formula of the domain, the
            least domain for which ranges are aligned, and the word for these.
        alignments: see `aligned`.
        steps: from the symbols of a call to the words, if the sizes of a call are not known.
    """

    def __init__(self, program: Program) -> None:
        """The table of a program that has one (`Program.has_table`)."""
        form = program.form
        arrays = [a for a in (*form.inputs, *form.outputs) if a is not None]
        steps, copies = launches_of(program), copied_outputs(program)
        copy = Launch(None, None, stub_object("call").address("snippets_copy"))
        self.launches = [*steps, *[copy] * len(copies)]
        self.first_step = HEAD + SPEC_WORDS * len(arrays)
        words = Words(self.first_step, self.first_step + STEP_WORDS * len(self.launches))
        places, outputs = places_of(program), arrays_of_outputs(form)
        for launch in steps:
            kernel = None if launch.number is None else form.kernels[launch.number]
            check = None if launch.number is None else form.checks[launch.number]
            touched = [places[v] for v in launch.values]
            if check is None:
                words.add_step(launch, kernel, touched)
            else:
                words.add_check(launch, check, touched)
        for index in copies:
            source = places[form.manifest["outputs"][index]["value"]]
            array = outputs[index]
            words.add_copy(copy, arrays[array].bytes, source, Place(array=array))
        for index, described in enumerate(arrays):
            words.add_spec(
                described, words.uses.get(index, []), is_output=index >= len(form.inputs)
            )
        slots = [0] * (len(form.slots) * MAX_SYMBOLS)
        self.words: Numbers = np.array(
            [*[0] * HEAD, *words.specs, *words.steps, *words.tail, *slots], np.int64
        )
        self.first_row = len(self.words) - len(slots)
        self.pointers = words.pointers
        fields = [Fields.of(words.fields[name]) for name in FIELDS]
        self.data, self.sizes, self.teams, self.slots, self.rows = fields[:5]
        self.scratch, self.aligned = fields[5:]
        self.alignments = np.array(words.alignments, np.int64).reshape(-1, 3).T
        self.steps: SizeSteps | None = None
        if program.sizes.symbols:
            self.steps = SizeSteps(form, self, program.threads)
            self.words = np.concatenate([self.words, self.steps.words])
