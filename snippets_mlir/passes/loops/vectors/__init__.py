"""Lower vectors of any shape to loops and to vectors of the target."""
