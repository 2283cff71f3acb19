"""Reading of sources: text, modules and models, and the bytes that identify them in the cache."""
