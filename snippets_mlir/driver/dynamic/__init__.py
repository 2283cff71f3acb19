"""Programs of dynamic dims: one template for each mask, filled in by a call."""
