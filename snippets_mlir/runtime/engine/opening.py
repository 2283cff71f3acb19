"""Opening onnxruntime sessions, with the options that our programs need.

Threads that spin between two nodes start the next node early. They stop at the end of a run,
because one of our kernels may follow on the same cores. Sessions are opened inside `ENGINE`, so
that no fork happens meanwhile; `forked_sessions.py` describes what a child does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snippets_mlir.codegen.locks import ENGINE, MAKING
from snippets_mlir.runtime.engine.forked_sessions import Origin, leave_without_engine, opened
from snippets_mlir.runtime.engine.rejected_models import rejection
from snippets_mlir.runtime.engine.sessions import Session, dense
from snippets_mlir.runtime.engine.shared_arena import share_arena
from snippets_mlir.runtime.engine.unsafe_fusions import unsafe_fusions
from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from snippets_mlir.runtime.arguments.arrays import Array

SPIN_US = "2000"
"""Microseconds that a session's thread spins before it sleeps, also during opening: onnxruntime's
25 ms would take a core from a compilation.
"""

SLOW_FUSIONS = ("SkipLayerNormFusion",)
"""Disabled fusions of onnxruntime's optimizer: SkipLayerNormalization takes nine times as long as
the Add and the LayerNormalization that it replaces (1.32, 3.7 and 0.4 ns per element).
"""

Configure = Callable[[Any, Any], None]
"""A function of the module onnxruntime and `SessionOptions`, which it changes."""

DATA_FOLDER = "session.model_external_initializers_file_folder_path"
"""onnxruntime's option for the folder of files with data of a model in memory."""

INSTALL_HINT = "install it with `pip install snippets-mlir[onnx]`"


def open_session(
    model: bytes | Path,
    threads: int = 1,
    *,
    alone: bool = False,
    spin: str = SPIN_US,
    data: Mapping[str, Array] | None = None,
    tables: Mapping[str, Array] | None = None,
    configure: Configure | None = None,
) -> Session:
    """A session for a model in a file or serialised.

    Args:
        model: the file, with external data beside it, or the bytes.
        threads: how many threads a node may use.
        alone: whether no kernel runs beside it, so that its threads may also spin after a run.
        spin: microseconds that a thread spins before it sleeps.
        data: the elements of initializers outside of the model. The session has its own copy, in
            the form that its nodes read.
        tables: dense arrays for model inputs that are the same in all runs; not copied.
        configure: is called with the options before the model is opened.

    Raises:
        CompileError: onnxruntime is missing, or rejects the model; the message names the node.
    """
    try:
        with MAKING:
            ort: Any = import_module("onnxruntime")  # it has no type information
    except ImportError:
        raise CompileError(
            f"the program holds ONNX nodes that onnxruntime must run; {INSTALL_HINT}"
        ) from None
    leave_without_engine()
    options = ort.SessionOptions()
    options.intra_op_num_threads = max(1, threads)
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.add_session_config_entry("session.intra_op.spin_duration_us", spin)
    if not alone:
        options.add_session_config_entry("session.force_spinning_stop", "1")
        # With memory patterns, a session allocates one block for all its values from the second run
        # on, in addition to the memory of the first run. This saves no time
        # (docs/measurements.md#memory).
        options.enable_mem_pattern = False
        # onnxruntime would merge two pairs of QuantizeLinear and DequantizeLinear into one with a
        # new scale, whose results differ from those of the nodes.
        options.add_session_config_entry("session.disable_double_qdq_remover", "1")
        share_arena(options)
    source = str(model) if isinstance(model, Path) else model
    # The options do not own these arrays: they have to live until the session exists.
    held = {name: ort.OrtValue.ortvalue_from_numpy(array) for name, array in (data or {}).items()}
    size = sum(array.nbytes for array in (data or {}).values())
    origin = Origin.of(model, size)  # before it is read
    weights = data if origin.source is not None else None  # kept if a child may need it

    def open_again() -> Session:
        model = origin.model()
        given = {"data": weights, "tables": tables}
        return open_session(model, threads, alone=alone, spin=spin, configure=configure, **given)

    try:
        if configure is not None:
            configure(ort, options)
        if held:
            options.add_external_initializers([*held], [*held.values()])
        left_out = [*SLOW_FUSIONS, *unsafe_fusions(model)] if _fuses(ort, options) else []
        open_one = partial(ort.InferenceSession, disabled_optimizers=left_out)
        session = ENGINE.run(open_one, source, options, ["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has an exception class per status code
        raise CompileError(rejection(model, str(error))) from None
    fixed = {name: dense(array) for name, array in (tables or {}).items()}
    inputs = tuple(i.name for i in session.get_inputs() if i.name not in fixed)
    found = session.get_outputs()
    outputs, types = tuple(o.name for o in found), tuple(o.type for o in found)
    bound = session.io_binding, session.run_with_iobinding
    # The function that `session.run` calls after checks in Python, which take as long as a small
    # model.
    run = getattr(getattr(session, "_sess", None), "run", session.run)
    if threads > 1 and not alone:
        ENGINE.run(_stop_spinning, run)
    shapes = tuple(tuple(o.shape) for o in found)
    made = Session(inputs, outputs, types, run, bound, tables=fixed, shapes=shapes)
    made.bytes = size + sum(array.nbytes for array in fixed.values())
    made.bytes += model.stat().st_size if isinstance(model, Path) else len(model)
    if threads > 1:
        opened(made, open_again)
    return made


def open_optimized(
    model: bytes,
    threads: int,
    folder: Path | None = None,
    more: Configure | None = None,
    *,
    alone: bool = True,
    tables: Mapping[str, Array] | None = None,
) -> Session:
    """The session of a model that onnxruntime has optimized, which is opened unchanged.

    Args:
        model: the serialised model.
        threads: how many threads a node may use.
        folder: of the files with its tensors.
        more: is called with the options before the model is opened.
        alone: as for `open_session`.
        tables: as for `open_session`.

    Raises:
        CompileError: as `open_session`.
    """

    def configure(ort: Any, options: Any) -> None:
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        if folder is not None:
            options.add_session_config_entry(DATA_FOLDER, str(folder))
        if more is not None:
            more(ort, options)

    return open_session(model, threads, alone=alone, tables=tables, configure=configure)


def _fuses(ort: Any, options: Any) -> bool:
    return options.graph_optimization_level != ort.GraphOptimizationLevel.ORT_DISABLE_ALL


def _stop_spinning(run: Callable[..., object]) -> None:
    """Let the threads of a new session sleep: they spin as if it had run.

    They stop when a run ends, even if it is refused because the session has no such output. With
    many sessions, the threads of each would take a core from the opening of the next sessions.
    """
    with suppress(Exception):
        run(["no output of a model"], {}, None)
