"""Callable programs on tensors: the common part of static and dynamic programs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from snippets_mlir.driver.building.built import Built
from snippets_mlir.driver.compiling import COMPILING
from snippets_mlir.driver.programs.described import DescribedProgram
from snippets_mlir.driver.programs.maker import Maker
from snippets_mlir.driver.programs.specs import Interface, specs_of
from snippets_mlir.driver.programs.variants import Variants
from snippets_mlir.runtime.arguments.arrays import (
    Array,
    TensorSpec,
    as_array,
    check_named,
    check_outputs,
    dense,
)
from snippets_mlir.runtime.arguments.equal_types import of_very_types, plain
from snippets_mlir.runtime.calls.direct import DirectCall
from snippets_mlir.runtime.calls.engine_call import EngineCall
from snippets_mlir.runtime.calls.sized_call import SizedCall
from snippets_mlir.support.errors import is_debugging

if TYPE_CHECKING:
    from snippets_mlir.driver.programs.origin import Origin
    from snippets_mlir.driver.sources.load import Source


class TensorProgram(DescribedProgram):
    """A program on tensors: how it is called, with arrays by place or by name."""

    def __init__(
        self,
        interface: Interface,
        threads: int,
        origin: Callable[[], Origin],
        maker: Maker | None,
        from_cache: str | None = None,
    ) -> None:
        super().__init__(interface, threads, origin, maker, from_cache)
        self._direct: DirectCall | EngineCall | None = None
        self._variants = Variants()

    def __call__(self, *arrays: object, out: object = None) -> Any:
        """Run on arrays in the order of `inputs`; an array for one output, else a tuple.

        Args:
            arrays: NumPy arrays, or Python numbers and lists of them
                (`runtime/arguments/python_numbers.py`).
            out: an array, or a sequence with one array for each output, for the results.

        Raises:
            TypeError: a wrong number of arrays, or a wrong element type.
            ValueError: a wrong shape, or an output that is read-only or overlaps another array.
            CompileError: the program cannot be compiled for these shapes.
        """
        if (direct := self._direct) is not None:
            if (found := direct.call(arrays, out)) is not None:
                return found
        if (other := self._direct_for(arrays)) is not None:
            if (found := other.call(arrays, out)) is not None:
                return found
        if (very := of_very_types(self.inputs, arrays)) is not None:
            return self(*very, out=out)
        if len(arrays) != len(self.inputs):
            names = ", ".join(repr(s.name) for s in self.inputs) or "none"
            raise TypeError(f"expected {len(self.inputs)} input(s) ({names}), found {len(arrays)}")
        try:
            results = self.execute(arrays, out)
        except (TypeError, ValueError) as error:
            if is_debugging():
                raise
            raise error.with_traceback(None) from None
        return results[0] if len(results) == 1 else tuple(results)

    def call_again(self, arrays: tuple[object, ...], out: object) -> Any:
        """As a call with arrays like those of an earlier call; otherwise None: nothing was done.

        They must have class `numpy.ndarray`, be dense, and have shapes and dtypes of an earlier
        call.
        """
        if not isinstance(direct := self._direct, DirectCall):
            return None
        if (found := direct.call(arrays, out)) is not None:
            return found
        other = self._direct_for(arrays)
        return other.call(arrays, out) if isinstance(other, DirectCall) else None

    def run(self, arrays: Mapping[str, object]) -> dict[str, Array]:
        """Run on arrays by the names of `inputs`; the results by the names of `outputs`.

        Arrays by the names of `overridable` take the place of the values that a model has.
        """
        if isinstance(direct := self._direct, EngineCall):
            if (named := direct.call_named(arrays)) is not None:
                return named
        names, results = self._called
        if arrays.__class__ is not dict or arrays.keys() != names.keys():
            check_named("inputs", arrays)
            for name in arrays:
                if name not in names:
                    return self._overriding(arrays, [*names]).run(arrays)
            for name in names:
                if name not in arrays:
                    raise ValueError(f"input {name!r}: missing")
        found = self(*[arrays[name] for name in names])
        return dict(zip(results, (found,) if len(results) == 1 else found, strict=True))

    @cached_property
    def _called(self) -> tuple[dict[str, None], tuple[str, ...]]:
        """The names of `inputs` and of `outputs`, in their order."""
        names = dict.fromkeys(spec.name for spec in self.inputs)
        return names, tuple(spec.name for spec in self.outputs)

    @abstractmethod
    def execute(self, values: Sequence[object], out: object) -> list[Array]:
        """Run on arrays in the order of `inputs`, as a call does; the results in a list."""

    @abstractmethod
    def build_for(self, given: Sequence[Array]) -> Built:
        """The build for arrays, for networks of their own."""

    def variants(self) -> Sequence[TensorProgram]:
        """The programs of `called_with` that are kept, but this one."""
        return self._variants.kept()

    def known_builds(self) -> Sequence[Built]:
        """The kept builds."""
        return [] if self._latest is None else [self._latest]

    def checked(
        self, values: Sequence[object], out: object
    ) -> tuple[Built, list[Array], list[Array] | None]:
        """The build for a network, its inputs (dense) and outputs; errors as in a call.

        Args:
            values: in the order of `inputs`.
            out: see a call.
        """
        given = self._given(values)
        built = self.build_for(given)
        return built, *self._held(built, given, out)

    def _given(self, values: Sequence[object]) -> list[Array]:
        """The arrays of a call, one for each of `inputs`; errors as in `__call__`."""
        return [as_array("input", s, v) for s, v in zip(self.inputs, values, strict=True)]

    def _run(self, built: Built, given: Sequence[Array], out: object) -> list[Array]:
        """Run a build on the arrays of a call; `out` is checked here."""
        return built.program.run(*self._held(built, given, out))

    def _held(
        self, built: Built, given: Sequence[Array], out: object
    ) -> tuple[list[Array], list[Array] | None]:
        """The inputs of a call, dense, and its outputs, checked."""
        specs, targets = self.inputs, None
        if out is not None:
            named = [(spec.name, array) for spec, array in zip(specs, given, strict=True)]
            targets = check_outputs(specs_of(built.program.arguments("outputs")), out, named)
        held = [
            a if s.is_any else plain(dense(a), s.dtype) for s, a in zip(specs, given, strict=True)
        ]
        return held, targets

    def _direct_for(self, arrays: Sequence[object]) -> DirectCall | EngineCall | SizedCall | None:
        """A fast path for other shapes than in the latest call."""
        return None

    @property
    def overridable(self) -> tuple[TensorSpec, ...]:
        """The inputs of an ONNX model that have a value (initializers): `run` accepts them by name.

        Empty for other programs.
        """
        return self._overridable

    @cached_property
    def _overridable(self) -> tuple[TensorSpec, ...]:
        with COMPILING:
            from snippets_mlir.driver.onnx.overriding import overridable_of

            return overridable_of(self.source)

    def called_with(self, names: Iterable[str]) -> TensorProgram:
        """The program that arrays of these names are for.

        It is another one where they are for some of `overridable`. ValueError: there is no such
        input.
        """
        known = self._called[0]
        given = [*names]
        return self if all(n in known for n in given) else self._overriding(given, [*known])

    def _overriding(self, arrays: Collection[str], names: Sequence[str]) -> TensorProgram:
        """The program for arrays that are not all called as one of `names`, the inputs."""
        names = [*names, *(spec.name for spec in self.overridable)]
        for name in arrays:
            if name not in names:
                with COMPILING:
                    from snippets_mlir.support.diagnostics import close_match

                known = ", ".join(map(repr, names)) or "none"
                raise ValueError(
                    f"input {name!r}: no such input{close_match(name, names)}; inputs are {known}"
                )
        given = frozenset(spec.name for spec in self.overridable if spec.name in arrays)
        return self._variants.get(given, lambda: self._freed(given))

    def _freed(self, given: frozenset[str]) -> TensorProgram:
        """The program in which `given` are inputs; the caller holds the compilation lock."""
        from snippets_mlir.driver.onnx.overriding import without_values

        origin = self._origin
        variant = without_values(origin.source, given, origin.asked, origin.ctx)
        variant.share_counters(self._perf)
        return variant

    def variant(self, source: Source) -> TensorProgram:
        """The program of another source, with the settings of this one."""
        with COMPILING:
            from snippets_mlir.driver.programs.kinds import program_of

            return program_of(source, self._origin.asked, self._origin.ctx)
