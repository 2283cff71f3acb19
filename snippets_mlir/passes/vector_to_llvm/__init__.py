"""From vectors, memrefs and control flow to the `llvm` dialect."""
