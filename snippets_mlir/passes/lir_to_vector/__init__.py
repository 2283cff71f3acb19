"""From linear IR to loops over vectors, and passes on these."""
