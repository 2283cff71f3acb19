"""The ops of the package, registered in the order of their families."""

from __future__ import annotations

from snippets_mlir.dialects.snippets import (
    activations,
    arg_reduction,
    arithmetic,
    channel_norms,
    comparison,
    concatenation,
    conversion,
    cumulative,
    elementary,
    exponentials,
    float_bits,
    gates,
    gathering,
    hyperbolic,
    index_checks,
    internal,
    inverse_error,
    iota,
    layout,
    logic,
    normalization,
    padding,
    product,
    rectifiers,
    reduction,
    signs,
    slicing,
    trigonometry,
)
from snippets_mlir.dialects.snippets.record import OpRecord
from snippets_mlir.dialects.snippets.registry import register

BUILT_IN: tuple[OpRecord, ...] = (
    *signs.RECORDS,
    *float_bits.RECORDS,
    *elementary.RECORDS,
    *inverse_error.RECORDS,
    *exponentials.RECORDS,
    *trigonometry.RECORDS,
    *hyperbolic.RECORDS,
    *activations.RECORDS,
    *gates.RECORDS,
    *rectifiers.RECORDS,
    *arithmetic.RECORDS,
    *logic.RECORDS,
    *comparison.RECORDS,
    *conversion.RECORDS,
    *reduction.RECORDS,
    *arg_reduction.RECORDS,
    *slicing.RECORDS,
    *gathering.RECORDS,
    *index_checks.RECORDS,
    *concatenation.RECORDS,
    *padding.RECORDS,
    *cumulative.RECORDS,
    *normalization.RECORDS,
    *channel_norms.RECORDS,
    *layout.RECORDS,
    *iota.RECORDS,
    *product.RECORDS,
    *internal.RECORDS,
)

register(*BUILT_IN, built_in=True)
