"""The order of a program's steps and the placement of its values in memory."""
