"""A row that is none."""

IMPLEMENTATIONS = ["snippets"]
