"""Outputs that `snippets-run` writes and prints: lines or JSON, files, counts, the report."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snippets_mlir.inspect.perf_report import as_json, table, write_csv
from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from snippets_mlir.driver import Compiled
    from snippets_mlir.inspect.compare import Difference
    from snippets_mlir.runtime.arguments.arrays import Array, TensorSpec
    from snippets_mlir.runtime.perf_counts import PerfCount
    from snippets_mlir.tools.run_bench import Bench


def show(
    args: Namespace,
    compiled: Compiled,
    outputs: Sequence[tuple[TensorSpec, Array, Difference | None]],
    bench: Bench | None,
    streamed: str | None = None,
) -> int:
    """Write and print the outputs; returns the exit code."""
    if args.output_dir is not None:
        _write(args.output_dir, [(spec, array) for spec, array, _ in outputs])
    perf = _perf(args, compiled)
    if args.json:
        import json

        print(json.dumps(_as_json(compiled, outputs, bench, perf), indent=2, allow_nan=False))
    else:
        lines = [_output_line(*output) for output in outputs]
        lines += [str(bench)] if bench is not None else []
        lines += [streamed] if streamed is not None else []
        lines += table(perf) if perf is not None else []
        print("\n".join([*lines, *(_report_lines(compiled) if args.report else [])]))
    return 0 if all(d is None or d.ok for _, _, d in outputs) else 1


def _output_line(spec: TensorSpec, array: Array, difference: Difference | None) -> str:
    shape = "x".join(map(str, array.shape)) or "scalar"
    line = f"{spec.name}: {shape} {array.dtype}"
    if difference is not None:
        verdict = "ok" if difference.ok else "MISMATCH"
        line += f" max_abs={difference.max_abs:.3g} max_rel={difference.max_rel:.3g} {verdict}"
    return line


def _report_lines(compiled: Compiled) -> list[str]:
    from snippets_mlir.driver.reports.notebooks import report_of

    phases = ", ".join(f"{name} {1e3 * s:.0f} ms" for name, s in compiled.seconds.items())
    return [
        *report_of(compiled),
        f"threads {compiled.num_threads}",
        phases,
    ]


def _json_number(value: float) -> float | None:
    return value if abs(value) != float("inf") else None


def _perf(args: Namespace, compiled: Compiled) -> Sequence[PerfCount] | None:
    """The counts, None unless counters were requested."""
    if args.perf_count is None and args.perf_csv is None:
        return None
    counts = compiled.perf_counts
    if args.perf_csv is not None:
        write_csv(args.perf_csv, counts)
    return counts


def _as_json(
    compiled: Compiled,
    outputs: Sequence[tuple[TensorSpec, Array, Difference | None]],
    bench: Bench | None,
    perf: Sequence[PerfCount] | None,
) -> dict[str, Any]:
    """The object that `--json` prints; an infinite error is null, with `ok` false."""
    return {
        "outputs": [
            {
                "name": spec.name,
                "shape": list(array.shape),
                "dtype": str(array.dtype),
                "max_abs": None if d is None else _json_number(d.max_abs),
                "max_rel": None if d is None else _json_number(d.max_rel),
                "ok": None if d is None else d.ok,
            }
            for spec, array, d in outputs
        ],
        "kernels": [k.entry.as_json() for k in compiled.kernels],
        "opaque": [op._asdict() for op in compiled.opaque],
        "bench": None if bench is None else bench.as_json(),
        "perf": None if perf is None else as_json(perf),
    }


def _write(directory: str, outputs: Sequence[tuple[TensorSpec, Array]]) -> None:
    import numpy as np

    for spec, array in outputs:
        path = Path(directory) / f"{spec.name.replace('/', '_')}.npy"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            np.save(path, array, allow_pickle=False)
        except OSError as error:
            raise CompileError(f"cannot write it: {error.strerror}", file=str(path)) from None
