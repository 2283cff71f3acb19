"""The compiler as a backend of other packages."""
