"""What a program is, as data: its manifest, the laws of manifests, and sizes as formulas."""
