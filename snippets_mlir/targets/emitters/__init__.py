"""Emitters: how each op of the linear IR becomes vector code."""
