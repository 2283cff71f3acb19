"""A row whose kind is there already."""

from snippets_mlir.targets.implementations import Implementation

IMPLEMENTATIONS = [Implementation("reference", lambda node: None)]
