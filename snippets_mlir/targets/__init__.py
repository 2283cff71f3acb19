"""Target machines and their emitters."""
