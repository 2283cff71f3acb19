"""From loops to vectors: the affine super-vectorizer and loop fusion, under MLIR's names."""
