"""The commands: only arguments, errors and exit codes."""
