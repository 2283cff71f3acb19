"""The pipeline that starts at affine loops over memrefs."""
