"""Facts about kernels of the linear IR: live ranges, registers, tiles, blocks, cost."""
