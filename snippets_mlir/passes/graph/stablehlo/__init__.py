"""StableHLO as ops of the `snippets` dialect."""
