"""Facts about affine loops and accesses to memrefs: subscripts, dependences, aliases, fusion."""
