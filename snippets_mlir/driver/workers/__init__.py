"""Kernels of a large program, compiled by several processes.

    passes on the whole module      | passes on kernels, LLVM
    --------------------------------+----------------------------------
    this process   [ ............. ] [ batch 0 ][ batch 2 ][ batch 5 ]
    a copy of it                     [ batch 1 ][ batch 3 ][ batch 4 ]

The last passes of a pipeline take each kernel by itself (`Pass.KERNELS_APART`). Where a program has
many kernels, they are cut into batches of about equal work at that place (`batches.py`), and each
batch becomes an object of its own (`lowering.py`). Batches follow from the program alone, so
objects are equal, byte for byte, for any number of processes, none but this one among them.

`apart.py` lowers a program's batches, `sharing.py` hands them out, `forks.py` has copies of this
process, `processes.py` the workers where no copy may be made, `worker.py` is what these run.
"""
