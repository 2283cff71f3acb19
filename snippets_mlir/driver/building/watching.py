"""The passes that count or watch kernels, as requested by arguments of `compile`."""

from __future__ import annotations

from snippets_mlir.runtime.fault import require_linux

DETECTOR = "before:convert-lir-to-vector:lir-insert-segfault-detector"


def watching_passes(
    perf_count: str | None, perf_clock: str, segfault_detector: bool
) -> dict[str, str]:
    """The insertion of each pass, as in `--insert-pass`, by the argument that requests it.

    Raises:
        CompileError: the segfault detector needs Linux.
    """
    found: dict[str, str] = {}
    if perf_count is not None:
        found["perf_count"] = _counting(perf_count, perf_clock)
    if segfault_detector:
        require_linux()
        found["segfault_detector"] = DETECTOR
    return found


def _counting(at: str, clock: str) -> str:
    """Counters: ops are counted before functions are expanded, loops when their parts are final."""
    anchor = "lir-expand-math" if at == "expressions" else "convert-lir-to-vector"
    return f"before:{anchor}:lir-insert-perf-count{{at={at} clock={clock}}}"
