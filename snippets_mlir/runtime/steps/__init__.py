"""The steps of a network: the table that machine code walks, and the steps that Python runs."""
