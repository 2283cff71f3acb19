"""Expansions of math ops into primitive vector arithmetic: one table, for every level of IR."""
