"""Programs on tensors of known sizes: one build, made with the program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from snippets_mlir.codegen.locks import KEEPING
from snippets_mlir.driver.building.built import Built
from snippets_mlir.driver.programs.maker import Maker
from snippets_mlir.driver.programs.specs import Interface, interface_of_manifest
from snippets_mlir.driver.programs.tensors import TensorProgram
from snippets_mlir.runtime.arguments.arrays import Array
from snippets_mlir.runtime.calls.direct import direct_call
from snippets_mlir.runtime.calls.engine_call import engine_call

if TYPE_CHECKING:
    from snippets_mlir.driver.programs.origin import Origin


class StaticProgram(TensorProgram):
    """A program with known sizes: it is built once, at compilation."""

    def __init__(
        self,
        interface: Interface,
        built: Built,
        threads: int,
        origin: Callable[[], Origin],
        maker: Maker | None = None,
        from_cache: str | None = None,
    ) -> None:
        """`interface` is the source's interface; the build has the interface after passes."""
        if not built.any_shape:
            interface = interface_of_manifest(built.program.manifest)
        super().__init__(interface, threads, origin, maker, from_cache)
        built.program.perf = self._perf
        self._build = self._latest = built
        self._is_direct_open = not built.any_shape  # the short way is made at the first call
        if built.any_shape:
            self._direct = engine_call(built.program, self.inputs)

    def execute(self, values: Sequence[object], out: object) -> list[Array]:
        """Run on arrays in the order of `inputs`, as a call does; the results in a list."""
        given = self._given(values)
        if self._is_direct_open:
            direct = direct_call(self._build.program, self.outputs)
            with KEEPING:
                self._direct, self._is_direct_open = direct, False
        return self._run(self._build, given, out)

    @override
    def build_for(self, given: Sequence[Array]) -> Built:
        return self._build

    def replayed(self, stage: str) -> Any:
        """The module at `stage`, made again now; the caller has the lock of compilation."""
        module = None if self.maker is None else self.maker.module(())
        return self._origin.replayed(stage, self._build, module, None)
