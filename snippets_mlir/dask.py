"""Kernels on Dask arrays: `from snippets_mlir.dask import apply_gufunc, map_blocks, reduction`."""

from snippets_mlir.integrations.dask_arrays import apply_gufunc, map_blocks, reduction

__all__ = ["apply_gufunc", "map_blocks", "reduction"]
