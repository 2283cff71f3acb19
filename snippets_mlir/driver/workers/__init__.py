"""Kernels of a large program, compiled by several processes.

    passes on the whole module      | passes on kernels, LLVM
    --------------------------------+----------------------------------
    this process   [ ............. ] [ batch 0 ][ batch 2 ][ batch 5 ]
    a copy of it                     [ batch 1 ][ batch 3 ][ batch 4 ]

The last passes of a pipeline process each kernel separately (`Pass.KERNELS_APART`). If a program
has many kernels, they are divided at that point into batches of about equal work (`batches.py`),
and each batch becomes a separate object (`lowering.py`). Batches depend only on the program, so
objects are equal, byte for byte, for any number of processes, including one.

`apart.py` lowers a program's batches, `sharing.py` distributes them, `forks.py` has copies of this
process, `processes.py` has the workers if no copy may be made, and `worker.py` is their program.
"""
