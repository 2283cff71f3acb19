"""Kernels on several threads: the crew, OpenMP teams, and how many threads share a kernel."""
