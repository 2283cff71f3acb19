"""Programs that networks run: `compile_program` (docs/networks.md)."""
