"""The register files of a machine, as register assignment needs them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RegisterFiles:
    """The register files of a target machine.

    Attributes:
        vectors: vector registers.
        masks: registers for vectors of i1; 0 if those are in vector registers.
        general: general-purpose registers that kernels can use, without the registers of a kernel's
            arguments.
        vector_bits: bits of one vector register; wider values take several.
    """

    vectors: int
    masks: int
    general: int
    vector_bits: int

    def size(self, file: str) -> int:
        """The number of registers in `file`: "vec", "mask" or "gpr"."""
        return {"vec": self.vectors, "mask": self.masks, "gpr": self.general}[file]
