"""The reference interpreter: executes IR on NumPy arrays and refuses what the ops forbid.

    Interpreter(module).run("main", [x, y]) -> (z,)

It is slow and strict: it is what compiled code is compared with.
"""

from snippets_mlir.interpreter.machine import Interpreter
from snippets_mlir.interpreter.registry import Handler, OpaqueHandler

__all__ = ["Handler", "Interpreter", "OpaqueHandler"]
