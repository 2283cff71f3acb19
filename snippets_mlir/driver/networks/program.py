"""`compile_program`: a program, its callers' networks, and the streams that run requests."""

from __future__ import annotations

import weakref
from operator import index
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakSet

from snippets_mlir.driver.networks.network import Network, constant_bytes
from snippets_mlir.driver.networks.plans import graph_of
from snippets_mlir.driver.networks.runner import Runner
from snippets_mlir.driver.programs.tensors import TensorProgram
from snippets_mlir.runtime.arguments.arrays import TensorSpec
from snippets_mlir.runtime.engine.sessions import Session
from snippets_mlir.runtime.queues.request import Request
from snippets_mlir.runtime.queues.request_queue import RequestQueue
from snippets_mlir.runtime.queues.streams import Streams, check_streams, usable_cores
from snippets_mlir.support.errors import CompileError, in_one_message
from snippets_mlir.support.uncopied import Uncopied

if TYPE_CHECKING:
    from snippets_mlir.driver.networks.execution_graph import ExecutionGraph
    from snippets_mlir.driver.networks.node_states import NodeState


class Program(Uncopied):
    """A compiled program that networks run; made by `compile_program`.

    It does not change, and all networks share its code, constants and sessions. `close`, or the
    end of a `with` statement, ends its streams when they have run all requests.

    Attributes:
        compiled: the program as `snippets_mlir.compile` gives it.
        streams: how many threads run requests.
        threads_per_stream: how many threads a kernel uses.
    """

    def __init__(self, compiled: TensorProgram, streams: int, threads: int) -> None:
        self.compiled = compiled
        self.streams = streams
        self.threads_per_stream = threads
        self._runner = Runner(compiled, Streams(streams, threads))
        self._networks: WeakSet[Network] = WeakSet()
        # Also when the interpreter ends.
        self._end = weakref.finalize(self, self._runner.streams.close)

    @property
    def inputs(self) -> tuple[TensorSpec, ...]:
        """The inputs of the program, in order."""
        return self.compiled.inputs

    @property
    def outputs(self) -> tuple[TensorSpec, ...]:
        """The outputs of the program, in order."""
        return self.compiled.outputs

    def network(self) -> Network:
        """A network of its own memory, which runs on the caller's thread."""
        self._check_open()
        made = Network(self.compiled)
        self._networks.add(made)
        return made

    def request(self) -> Request:
        """A request, which a stream runs each time it is started."""
        self._check_open()
        return Request(self._runner, self)

    def queue(self, requests: int | None = None) -> RequestQueue:
        """A queue of requests; at most `requests` run at a time, or wait for a stream.

        Twice as many as there are streams, unless given.
        """
        self._check_open()
        most = 2 * self.streams if requests is None else _number("requests", requests)
        return RequestQueue(self._runner, most, self.streams, self)

    def memory(self) -> dict[str, int]:
        """Bytes in use, by purpose.

        `arena`: intermediate values and scratchpads of all networks. `constants`: of kernels.
        `sessions`: the models of onnxruntime's sessions; external data of a model in a file is not
        counted. `outputs`: memory kept for large outputs.
        """
        compiled = (self.compiled, *self.compiled.variants())
        programs = [built.program for c in compiled for built in c.known_builds()]
        sessions = {
            id(executor): executor.bytes
            for program in programs
            for executor in program.executors.values()
            if isinstance(executor, Session)
        }
        pools = {id(program.pool): program.pool.free_bytes() for program in programs}
        networks = sum(network.arena for network in list(self._networks))
        calls = sum(program.arena_bytes() for program in programs)
        idle: dict[int, int] = {}
        for program in programs:
            idle |= program.idle_bytes()
        return {
            "arena": networks + self._runner.arena() + calls + sum(idle.values()),
            "constants": constant_bytes(programs),
            "sessions": sum(sessions.values()),
            "outputs": sum(pools.values()),
        }

    def profile(self) -> tuple[Any, ...]:
        """The steps of the last request of each stream; see `Network.profile`."""
        from snippets_mlir.driver.networks.node_states import named_rows

        return named_rows(self.compiled, self._runner.profile())

    def node_profile(self) -> tuple[NodeState, ...]:
        """The state of each node of the model in the last request of each stream."""
        from snippets_mlir.driver.networks.node_states import node_states

        return node_states(self.compiled, self.profile())

    def execution_graph(self) -> ExecutionGraph:
        """The steps as a graph, with times of the last request of the first stream that ran one.

        Raises:
            CompileError: sizes are dynamic, and no stream has run a request.
        """
        return graph_of(self.compiled, self._runner.first_plans())

    def close(self) -> None:
        """Run all started requests, then end the streams; further requests are errors."""
        for network in list(self._networks):
            network.close()
        self._end()

    def _check_open(self) -> None:
        if self._runner.streams.closed:
            raise RuntimeError("the program is closed")

    def __enter__(self) -> Self:
        self._check_open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@in_one_message
def compile_program(
    source: object, *, streams: int = 1, threads_per_stream: int | None = None, **options: Any
) -> Program:
    """Compile a program for networks and streams; see docs/networks.md.

    Args:
        source: as for `compile`.
        streams: threads that run requests, each on cores of its own.
        threads_per_stream: threads of a kernel; the cores of a stream unless given.
        options: other arguments of `compile`, but `num_threads`.

    Raises:
        ValueError: there are fewer cores than that, or less than 1 is asked for.
        TypeError: as `compile`.
        CompileError: as `compile`; a function on memrefs has no networks.
    """
    from snippets_mlir.driver import compile as compile_source

    if "num_threads" in options:
        raise TypeError("compile_program takes threads_per_stream in place of num_threads")
    count = _number("streams", streams)
    cores = len(usable_cores())
    threads = max(1, cores // max(1, count))
    if threads_per_stream is not None:
        threads = _number("threads_per_stream", threads_per_stream)
    check_streams(count, threads)
    compiled = compile_source(source, num_threads=threads, **options)
    if not isinstance(compiled, TensorProgram):
        raise CompileError("compile_program: a function on memrefs has no networks; use compile")
    return Program(compiled, count, threads)


def _number(name: str, value: object) -> int:
    try:
        if isinstance(value, bool):
            raise TypeError
        return index(value)  # pyright: ignore[reportArgumentType]
    except TypeError:
        raise TypeError(f"{name}: expected an integer, found {type(value).__name__}") from None
