"""Calls of compiled functions on memrefs: arguments, results, and checks of their accesses."""
