"""The kernels of chains, compiled together; none for chains whose padding may become infinite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import onnx

from snippets_mlir.driver.building.built import Built
from snippets_mlir.driver.onnx.inside.block import block_of_engine
from snippets_mlir.driver.onnx.inside.chain import Chain
from snippets_mlir.driver.onnx.inside.kernels import ChainKernel, compile_chains
from snippets_mlir.driver.onnx.inside.padding import keeps_padding_finite
from snippets_mlir.driver.onnx.inside.signatures import Signature, model_of, signature_of
from snippets_mlir.driver.onnx.inside.values import Values
from snippets_mlir.driver.settings import Settings
from snippets_mlir.driver.workers.apart import Later
from snippets_mlir.passmanager.context import ToolContext


@dataclass(frozen=True)
class CompiledChains:
    """Kernels of chains.

    Attributes:
        chains: the chains that have a kernel or are pools.
        signatures: the signatures of chains with a kernel.
        kernels: the kernels that they need.
        built: the program with the kernels.
        source: the model that it was compiled from, serialised.
    """

    chains: Sequence[Chain]
    signatures: Mapping[Chain, Signature]
    kernels: Mapping[Signature, ChainKernel]
    built: Built
    source: bytes

    def name(self, signature: Signature) -> str:
        """The operator of a kernel: `chain` and its number."""
        return f"chain{[*self.kernels].index(signature)}"

    def operator(self, chain: Chain) -> str:
        """The operator of a chain: its kernel's or its pool's."""
        return chain.pool or self.name(self.signatures[chain])


def compiled_chains(
    model: onnx.ModelProto,
    values: Values,
    chains: Sequence[Chain],
    settings: Settings,
    ctx: ToolContext,
    later: Later | None,
) -> CompiledChains:
    """Compile the chains; chains without a sound kernel are left out.

    `later` is as for `build`.
    """
    in_blocks = any(chain.blocked and chain.operands.planes for chain in chains)
    block = block_of_engine() if in_blocks else 1
    found = {chain: signature_of(chain, values, block) for chain in chains if not chain.pool}
    signatures = [*dict.fromkeys(found.values())]
    source = model_of(signatures, [*model.opset_import])
    built, kernels = compile_chains(source, signatures, settings, ctx, later)

    def is_sound(chain: Chain) -> bool:
        if chain.pool:
            return True
        kernel = kernels.get(found[chain])
        if kernel is None or not chain.blocked:
            return kernel is not None
        scalars = [_number(values, name) for name in chain.operands.scalars]
        return keeps_padding_finite(found[chain], kernel, scalars)

    sound = _without_orphans([chain for chain in chains if is_sound(chain)], values)
    of_sound = {chain: found[chain] for chain in sound if not chain.pool}
    used = {signature: kernels[signature] for signature in of_sound.values()}
    return CompiledChains(sound, of_sound, used, built, source.SerializeToString())


def _number(values: Values, name: str) -> np.ndarray:
    found = values.number(name)
    assert found is not None
    return found


def _without_orphans(chains: Sequence[Chain], values: Values) -> list[Chain]:
    """Without blocked chains whose operands no blocked chain or node computes any more."""
    there: set[str] = {*values.plain}
    found: list[Chain] = []
    for chain in chains:
        images = (*chain.operands.tensors, *chain.operands.planes)
        if chain.blocked:
            if not there.issuperset(images):
                continue
            there.add(chain.result)
        found.append(chain)
    return found
