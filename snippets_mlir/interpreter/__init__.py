"""The reference interpreter: executes IR on NumPy arrays and checks all rules of the ops.

    Interpreter(module).run("main", [x, y]) -> (z,)

It is slow and strict. Compiled code is compared with it.
"""

from snippets_mlir.interpreter.machine import Interpreter
from snippets_mlir.interpreter.registry import Handler, OpaqueHandler

__all__ = ["Handler", "Interpreter", "OpaqueHandler"]
