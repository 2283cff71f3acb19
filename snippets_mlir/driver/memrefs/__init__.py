"""Programs on memrefs."""
