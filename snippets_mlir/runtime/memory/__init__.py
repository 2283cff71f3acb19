"""Where the values of a program are: the plan, arenas, scratchpads, and a pool for their memory."""
