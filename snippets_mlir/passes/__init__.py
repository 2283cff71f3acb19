"""The passes: one per file, in packages in pipeline order."""
