"""Runs compiled programs: threads, memory, executors, checks of arrays."""
