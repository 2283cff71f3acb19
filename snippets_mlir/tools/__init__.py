"""The commands: arguments, errors and exit codes, nothing more."""
