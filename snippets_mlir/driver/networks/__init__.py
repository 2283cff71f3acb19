"""Programs that are run by networks: `compile_program` (docs/networks.md)."""
