"""Affine loops: fusion, peeling, vectors and threads, under MLIR's names; and their lowering."""
