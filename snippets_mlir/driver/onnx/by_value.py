"""ONNX models without onnxruntime, compiled for the elements of inputs that determine shapes.

    y = ReduceSum(x, axes)      called with x, axes = [1]:    the program of ReduceSum(x, axes=[1])
                                called with x, axes = [0, 1]: another one

For the elements of a call, these inputs are constants of a separate program, whose other inputs may
have dynamic dims. The last `MAX_VARIANTS` programs are kept. With onnxruntime this is not needed:
it runs the operator unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from snippets_mlir.driver.building.built import Built
from snippets_mlir.driver.interface import interface_of_source
from snippets_mlir.driver.programs.kinds import tensor_program
from snippets_mlir.driver.programs.origin import Origin
from snippets_mlir.driver.programs.tensors import TensorProgram
from snippets_mlir.runtime.arguments.arrays import Array, as_array, dense
from snippets_mlir.support.errors import CompileError


class ProgramByValue(TensorProgram):
    """A program whose code has some inputs as constants; see the module docstring."""

    def __init__(self, origin: Origin, names: Sequence[str]) -> None:
        """`names` are the inputs with elements that the code depends on."""
        interface = interface_of_source(origin.source)
        super().__init__(interface, origin.asked.threads, lambda: origin, None)
        self._names = frozenset(names)
        self._last: TensorProgram | None = None

    @property
    def dynamic(self) -> bool:
        """Whether some size is known only when it is called."""
        return True

    def execute(self, values: Sequence[object], out: object) -> list[Array]:
        """Run the program for the elements of this call."""
        pairs = list(zip(self.inputs, values, strict=True))
        bound = {s.name: dense(as_array("input", s, v)) for s, v in pairs if s.name in self._names}
        key = tuple((name, a.shape, a.tobytes()) for name, a in bound.items())
        variant = self._variants.get(key, lambda: self._variant(bound))
        results = variant.execute([v for s, v in pairs if s.name not in self._names], out)
        self._last, self._latest = variant, variant.built()
        return results

    def _variant(self, bound: Mapping[str, Array]) -> TensorProgram:
        from snippets_mlir.frontends.onnx.edits import ModelEdit

        origin = self._origin
        edit = (origin.source.edit or ModelEdit()).binding(bound)
        variant = tensor_program(origin.source.edited(edit), origin.asked, origin.ctx)
        variant.share_counters(self._perf)
        return variant

    def build_for(self, given: Sequence[Array]) -> Built:
        """CompileError: the elements of arrays decide about a program, so it has no networks."""
        raise CompileError(f"a program has no networks where {self.per_shape}; call it")

    @property
    def compiled_times(self) -> int:
        """The number of compilations over all sets of elements."""
        return self._variants.compiled_times

    @property
    def per_shape(self) -> str | None:
        """Why a call may need code of its own."""
        names = ", ".join(repr(s.name) for s in self.inputs if s.name in self._names)
        return f"shapes follow from the elements of {names}"

    def specialize(self, shapes: Mapping[str, Sequence[int]]) -> None:
        """`ValueError`: shapes alone do not determine the code."""
        raise ValueError(f"{self.per_shape}; call the program with them")

    def replayed(self, stage: str) -> Any:
        """The module at `stage` of the latest variant."""
        self.built()
        assert self._last is not None
        return self._last.replayed(stage)
