"""All checkers of the `program` dialect, on every graph of a module."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.checkers.program_memory import verify_program_memory
from snippets_mlir.checkers.program_races import verify_program_races
from snippets_mlir.dialects.program.graph import graphs_of


def verify_program_graphs(module: ModuleOp) -> None:
    """Check memory and schedules of the graphs.

    Raises:
        CompileError: at the first op that breaks a claim; the message starts with its label.
    """
    for graph in graphs_of(module):
        verify_program_races(graph)
        verify_program_memory(graph)
