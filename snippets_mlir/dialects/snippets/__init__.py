"""The `snippets` dialect: tensor ops under the names of OpenVINO's Snippets, and subgraphs."""

from typing import cast

from xdsl.dialect_interfaces.constant_materialization import (
    ConstantMaterializationInterface,
)
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Attribute, Dialect, Operation

from snippets_mlir.dialects.builtin.sizes import SizeAttr
from snippets_mlir.dialects.snippets.attributes import ResourceAttr
from snippets_mlir.dialects.snippets.binary import BINARY_OPS
from snippets_mlir.dialects.snippets.channel_norms import CHANNEL_NORM_OPS
from snippets_mlir.dialects.snippets.comparison import COMPARISON_OPS
from snippets_mlir.dialects.snippets.constants import ConstantOp, Dense, ScalarOp
from snippets_mlir.dialects.snippets.conversion import CONVERSION_OPS
from snippets_mlir.dialects.snippets.fusion import FUSION_OPS
from snippets_mlir.dialects.snippets.internal import INTERNAL_OPS
from snippets_mlir.dialects.snippets.layout import LAYOUT_OPS
from snippets_mlir.dialects.snippets.normalization import NORMALIZATION_OPS
from snippets_mlir.dialects.snippets.reduction import REDUCTION_OPS
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp, YieldOp
from snippets_mlir.dialects.snippets.trigonometry import TRIGONOMETRIC_OPS
from snippets_mlir.dialects.snippets.unary import UNARY_OPS
from snippets_mlir.dialects.snippets.unary_with_attributes import (
    UNARY_OPS_WITH_ATTRIBUTES,
)


class SnippetsConstantMaterialization(ConstantMaterializationInterface):
    """Folded values become `snippets.constant`."""

    def materialize_constant(self, value: Attribute, type: Attribute) -> Operation | None:
        """A constant op of the dialect for dense elements of `type`, else None."""
        if not isinstance(value, DenseIntOrFPElementsAttr):
            return None
        dense = cast(Dense, value)
        return ConstantOp(dense) if dense.type == type else None


Snippets = Dialect(
    "snippets",
    [
        *UNARY_OPS,
        *TRIGONOMETRIC_OPS,
        *UNARY_OPS_WITH_ATTRIBUTES,
        *BINARY_OPS,
        *COMPARISON_OPS,
        *CONVERSION_OPS,
        *REDUCTION_OPS,
        *NORMALIZATION_OPS,
        *CHANNEL_NORM_OPS,
        *LAYOUT_OPS,
        *FUSION_OPS,
        *INTERNAL_OPS,
        ConstantOp,
        ScalarOp,
        SubgraphOp,
        YieldOp,
    ],
    [ResourceAttr, SizeAttr],
    [SnippetsConstantMaterialization()],
)
