"""Which passes there are, pipelines as text, positions, options and plug-ins."""
