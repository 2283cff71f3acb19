"""What a small program with one free size is, for tests of what is touched."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

FLOATS, INTEGERS = ("f32", "f64"), ("i32", "i64")
ELEMENTS = (*FLOATS, *INTEGERS, "i1")


@dataclass(frozen=True)
class Form:
    """One program: `%name: type` arguments, the lines of its body, results as arguments."""

    name: str
    arguments: str
    body: str
    results: str

    @property
    def free(self) -> bool:
        """Whether it has a free size."""
        return "@" in self.arguments

    @property
    def core(self) -> bool:
        """Whether it is of the elements that most tests use; the others are wider, mostly."""
        return not self.name.endswith(("f64", "i32", "i64"))

    def text(self, sizes: Sequence[int | str]) -> str:
        """A function `@main` that holds the program once for each size."""
        copies = [self._copy(size) for size in (sizes if self.free else sizes[:1])]
        arguments = ", ".join(c.arguments for c in copies)
        results = [r.strip() for c in copies for r in c.results.split(", ")]
        names = ", ".join(r.partition(": ")[0] for r in results)
        types = ", ".join(r.partition(": ")[2] for r in results)
        lines = [f"func.func @main({arguments}) -> ({types}) {{", *(c.body for c in copies)]
        return "\n".join([*lines, f"func.return {names} : {types}", "}"])

    def _copy(self, size: int | str) -> Form:
        suffix = "" if size == "?" else f"_{size}"

        def filled(text: str) -> str:
            return re.sub(r"%(\w+)", rf"%\1{suffix}", text).replace("@", str(size))

        return Form(self.name, filled(self.arguments), filled(self.body), filled(self.results))


def tensor(shape: str, element: str) -> str:
    return f"tensor<{shape}{'' if not shape or shape.endswith('x') else 'x'}{element}>"
