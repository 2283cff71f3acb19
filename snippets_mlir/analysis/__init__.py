"""Pure facts about IR; imports dialects and nothing else."""
