"""Expansions of math ops into primitive vector arithmetic: one table for all levels of IR."""
