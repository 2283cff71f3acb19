"""Turn parallel loops into functions that threads call."""
