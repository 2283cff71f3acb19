"""Write the LLVM text of the stubs from their IR.

    python -m snippets_mlir.codegen.stubs.write_texts

after a change of a stub, of the `llvm` dialect or of its emitter. A test compares the files with
the IR. The runtime reads the files without building IR.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from snippets_mlir.codegen.stubs.objects import STUBS, TEXTS, file_of


def texts() -> Iterator[tuple[str, str]]:
    """The name of each file, and its content."""
    for name, stub in STUBS.items():
        build = getattr(import_module(f"snippets_mlir.codegen.stubs.{stub.module}"), stub.build)
        yield file_of(name), build().llvm_text()
        for machine in stub.machines:
            yield file_of(name, machine), build(machine).llvm_text()


def main() -> None:
    """Write the files that differ, and remove others: processes that run may read the files."""
    made = dict(texts())
    TEXTS.mkdir(exist_ok=True)
    for file in TEXTS.glob("*.ll"):
        if file.name not in made:
            file.unlink()
    for name, text in made.items():
        file = TEXTS / name
        if not file.exists() or file.read_text("utf-8") != text:
            file.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
