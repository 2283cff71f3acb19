"""The arrays that a program is called with: checks, conversions, and their layout in memory."""
