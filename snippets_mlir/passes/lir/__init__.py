"""Passes on the linear IR, under the names of the Snippets design guide."""
