"""A trace of a compilation in Chrome's format: `--trace-compile` of both tools.

    with trace_compile("trace.json"):
        snippets_mlir.compile("model.mlir")

A row of `chrome://tracing` or ui.perfetto.dev shows nested spans over time: phases, their passes,
and the kernels within a pass. Another row shows LLVM's concurrent work.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from snippets_mlir.inspect.chrome_trace import event, write_events
from snippets_mlir.support.spans import recording


@contextmanager
def trace_compile(file: str) -> Generator[None]:
    """Trace the compilations of this thread in the `with` block, and write a JSON file, also after
    an error.

    Raises:
        CompileError: the file cannot be written.
    """
    with recording() as spans:
        try:
            yield
        finally:
            first = min((span.begin for span in spans), default=0)
            spans.sort(key=lambda span: (span.begin, -span.end))
            write_events(
                file,
                [event(s.name, s.kind, s.begin - first, s.end - s.begin, s.row) for s in spans],
            )
