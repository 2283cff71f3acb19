"""`snippets-run` with streams: concurrent requests, and files about their steps."""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from snippets_mlir.driver.compiled import Compiled
    from snippets_mlir.driver.networks.program import Program
    from snippets_mlir.runtime.arguments.arrays import Array


def asks_for_streams(args: Namespace) -> bool:
    """Whether some option of streams is given."""
    given = args.streams, args.requests, args.iterations, args.profile, args.trace, args.exec_graph
    return any(option is not None for option in given)


def threads_of_streams(args: Namespace) -> int | None:
    """The threads of a kernel: as many as a stream has cores, unless given."""
    if args.streams is None or args.num_threads is not None:
        return args.num_threads
    from snippets_mlir.runtime.queues.streams import usable_cores

    return max(1, len(usable_cores()) // max(1, args.streams))


def run_streams(args: Namespace, compiled: Compiled, arrays: Sequence[Array]) -> str:
    """Run requests on streams; returns a line with the throughput.

    CompileError for invalid numbers, and for programs without networks.
    """
    from snippets_mlir.driver.networks.program import Program
    from snippets_mlir.driver.programs.tensors import TensorProgram

    if not isinstance(compiled, TensorProgram):
        raise CompileError("--streams: a function on memrefs has no networks")
    streams = 1 if args.streams is None else args.streams
    iterations = 1 if args.iterations is None else args.iterations
    requests = 2 * max(1, streams) if args.requests is None else args.requests
    for option, number in (("--iterations", iterations), ("--requests", requests)):
        if number < 1:
            raise CompileError(f"{option}: expected 1 or more, found {number}")
    feed = dict(zip([spec.name for spec in compiled.inputs], arrays, strict=True))
    try:
        program = Program(compiled, streams, compiled.num_threads)
    except ValueError as error:
        raise CompileError(str(error)) from None
    with program:
        with program.queue(requests) as queue:
            queue.submit(feed).result()  # the first run is not measured
            begin = time.perf_counter()
            for _ in range(iterations):
                queue.submit(feed)
        seconds = time.perf_counter() - begin
        _write(args, program)
    return (
        f"{iterations} run(s) in {1e3 * seconds:.2f} ms on {streams} stream(s) of "
        f"{compiled.num_threads} thread(s), {requests} request(s): {iterations / seconds:.1f}/s"
    )


def _write(args: Namespace, program: Program) -> None:
    """The files about the last run of each stream."""
    from snippets_mlir.inspect.step_files import write_times, write_trace

    if args.profile is not None:
        write_times(args.profile, program.node_profile())
    if args.trace is not None:
        write_trace(args.trace, program.profile())
    if args.exec_graph is not None:
        program.execution_graph().write(args.exec_graph)


def dump(args: Namespace, compiled: Compiled, arrays: Sequence[Array]) -> None:
    """Write the results of steps for `--dump-tensors` and `--layers`.

    A remark on standard error for each node that has no step of its own.
    """
    from snippets_mlir.driver.programs.tensors import TensorProgram
    from snippets_mlir.inspect.tensor_files import dump_tensors

    if not isinstance(compiled, TensorProgram):
        raise CompileError("--dump-tensors: a function on memrefs has no steps")
    dumped = dump_tensors(compiled, arrays, args.dump_tensors, args.layers)
    for node, state, files in dumped.apart:
        wrote = ", ".join(map(str, files)) if files else "it has no value that can be written"
        print(f"remark: node {node!r} is {state}; as an output: {wrote}", file=sys.stderr)


def dump_program(args: Namespace, compiled: Compiled, arrays: Sequence[Array]) -> None:
    """Write the stages of the program for `--dump-program`.

    A program with dynamic sizes runs before.
    """
    from snippets_mlir.inspect import program_dumps

    if compiled.dynamic:
        compiled(*arrays)
    program_dumps.dump_program(compiled, args.dump_program)
