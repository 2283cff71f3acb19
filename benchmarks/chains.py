"""Two programs one after the other, as one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from steps import Array, Step, Workload


@dataclass(frozen=True)
class Chain:
    """Two programs of one form and type: the second's first argument is the first's result."""

    first: Workload
    second: Workload

    @property
    def name(self) -> str:
        """The name on the command line."""
        return f"{self.first.name}+{self.second.name}"

    @property
    def sizes(self) -> tuple[str, ...]:
        """The sizes that it has."""
        return self.first.sizes

    def _names(self) -> dict[str, str]:
        """The names of the second program in the whole program."""
        through, *others = self.second.arguments
        own = [*others, *(step.result for step in self.second.steps)]
        return {through: self.first.result, **{name: f"then_{name}" for name in own}}

    def whole(self) -> Workload:
        """Both as one program; arguments and results of the second begin with `then_`."""
        names = self._names()

        def renamed(step: Step) -> Step:
            operands = tuple(names.get(o, o) if isinstance(o, str) else o for o in step.operands)
            return Step(names[step.result], step.op, operands)

        first, second = self.first, self.second
        return Workload(
            self.name,
            f"{first.formula}, then {second.formula}",
            first.dtype,
            (*first.arguments, *(names[name] for name in second.arguments[1:])),
            (*first.steps, *map(renamed, second.steps)),
            first.form,
            {**first.roles, **{names[name]: role for name, role in second.roles.items()}},
        )

    def inputs_of_second(self, inputs: Mapping[str, Array], between: Array) -> dict[str, Array]:
        """The arguments of the second program, from those of the whole and the first's result."""
        names = self._names()
        first, *others = self.second.arguments
        return {first: between, **{name: inputs[names[name]] for name in others}}
