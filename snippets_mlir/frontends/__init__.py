"""Front ends: they produce IR and nothing else."""
