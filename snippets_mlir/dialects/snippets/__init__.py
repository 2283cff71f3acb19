"""The `snippets` dialect: tensor ops under the names of OpenVINO's Snippets, and subgraphs."""

from typing import cast

from xdsl.dialect_interfaces.constant_materialization import (
    ConstantMaterializationInterface,
)
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Attribute, Dialect, Operation

from snippets_mlir.dialects.builtin.sizes import SizeAttr
from snippets_mlir.dialects.snippets.attributes import PanelsAttr, ResourceAttr
from snippets_mlir.dialects.snippets.constants import ConstantOp, Dense, ScalarOp
from snippets_mlir.dialects.snippets.fusion import FUSION_OPS
from snippets_mlir.dialects.snippets.records import BUILT_IN
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp, YieldOp


class SnippetsConstantMaterialization(ConstantMaterializationInterface):
    """Materializes folded values as `snippets.constant` ops."""

    def materialize_constant(self, value: Attribute, type: Attribute) -> Operation | None:
        """A constant op of the dialect for dense elements of `type`, else None."""
        if not isinstance(value, DenseIntOrFPElementsAttr):
            return None
        dense = cast(Dense, value)
        return ConstantOp(dense) if dense.type == type else None


Snippets = Dialect(
    "snippets",
    [
        *(record.op for record in BUILT_IN),
        *FUSION_OPS,
        ConstantOp,
        ScalarOp,
        SubgraphOp,
        YieldOp,
    ],
    [PanelsAttr, ResourceAttr, SizeAttr],
    [SnippetsConstantMaterialization()],
)
