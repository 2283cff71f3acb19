"""The table from op name to emitter that every target starts from."""

from __future__ import annotations

from snippets_mlir.targets.emitters.arithmetic import ARITHMETIC_EMITTERS
from snippets_mlir.targets.emitters.convert import CONVERT_EMITTERS
from snippets_mlir.targets.emitters.emitter import Emitter

EMITTERS: dict[str, Emitter] = {**ARITHMETIC_EMITTERS, **CONVERT_EMITTERS}
