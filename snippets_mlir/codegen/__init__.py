"""LLVM IR text to machine code in this process. Only this package imports llvmlite."""
