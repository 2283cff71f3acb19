"""What all dialects share of builtin types: element types, shapes, sizes."""
