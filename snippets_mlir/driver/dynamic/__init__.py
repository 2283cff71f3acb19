"""Programs with dynamic dims: one template for each mask, which a call fills in."""
