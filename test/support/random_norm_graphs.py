"""Random graphs with norms, softmax and means between reshapes and transposes, in float64.

The values are tame (no NaN, no inf, no large numbers), so that a compiled graph has to be as near
to the interpreter as rounding in float64 allows, whatever was fused and in which order it adds.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from random_reduction_graphs import ReductionGraph

from snippets_mlir.testing.graph_text import Value

UNARY = ("relu", "abs", "negative", "tanh", "sigmoid")
BINARY = ("add", "subtract", "maximum", "minimum")
EPSILON = "epsilon = 1.0e-3 : f64"


@dataclass
class NormGraph(ReductionGraph):
    """A random function: its text and its inputs."""

    def __post_init__(self) -> None:
        """Build the graph, with float64 numbers around 0 for inputs."""
        super().__post_init__()
        random = np.random.default_rng(self.seed)
        self.arrays = [random.standard_normal(v.shape) for v in self.inputs]

    def _elements(self) -> str:
        return "f64"

    def _op(self) -> None:
        a, kind = self._recent(), self.rng.random()
        if kind < 0.3 and a.shape and prod(a.shape):
            self._norm(a)
        elif kind < 0.4 and a.shape and prod(a.shape):
            self._reduce(a)
        elif kind < 0.45 and a.shape:
            self._transpose(a)
        elif kind < 0.6:
            self._view(a)
        elif kind < 0.75:
            self._emit(self.rng.choice(UNARY), [a], a.shape)
        else:
            b, shape = self._partner(a)
            self._emit(self.rng.choice(BINARY), [a, b], shape)

    def _reductions(self) -> tuple[str, ...]:
        return ("max", "min", "mean")

    def _norm(self, a: Value) -> None:
        rank = len(a.shape)
        axis = self.rng.randrange(rank)
        kind = self.rng.choice(("softmax", "log_softmax", "layer", "rms", "mvn", "channels"))
        if kind in ("softmax", "log_softmax"):
            self._emit(kind, [a], a.shape, f" {{axis = {axis} : i64}}")
        elif kind in ("layer", "rms"):
            scale = [v for v in self.values if v.shape == a.shape[rank - len(v.shape) :]]
            count = self.rng.randint(0, min(len(scale), 2 if kind == "layer" else 1))
            operands = [a, *self.rng.sample(scale, count)]
            self._emit(f"{kind}_norm", operands, a.shape, f" {{axis = {axis} : i64, {EPSILON}}}")
        elif kind == "mvn" or rank < 2:
            axes = ", ".join(map(str, sorted(self.rng.sample(range(rank), 1))))
            self._emit(
                "mvn",
                [a],
                a.shape,
                f" {{axes = array<i64: {axes}>, {EPSILON}, normalize_variance}}",
            )
        else:
            self._channels(a)

    def _channels(self, a: Value) -> None:
        channels = a.shape[1]
        parameters = [v for v in self.values if v.shape == (channels,)]
        if not parameters:
            others = [v for v in self.values if prod(v.shape) == channels]
            if not others:
                return
            self._emit("reshape", [self.rng.choice(others)], (channels,))
            parameters = [self.values[-1]]
        scale, bias = self.rng.choice(parameters), self.rng.choice(parameters)
        if self.rng.random() < 0.5:
            groups = self.rng.choice([n for n in range(1, channels + 1) if channels % n == 0])
            attributes = f" {{num_groups = {groups} : i64, {EPSILON}}}"
            self._emit("group_norm", [a, scale, bias], a.shape, attributes)
        else:
            self._emit("instance_norm", [a, scale, bias], a.shape, f" {{{EPSILON}}}")
