"""LLVM IR text to machine code in this process. The only package that imports llvmlite."""
