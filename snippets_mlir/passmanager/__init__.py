"""The table of passes, pipelines as text, positions, options and plug-ins."""
