"""Target machines, their emitters, and the constants of the cost model."""
