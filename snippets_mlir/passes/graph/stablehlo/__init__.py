"""Convert StableHLO to the `snippets` dialect."""
