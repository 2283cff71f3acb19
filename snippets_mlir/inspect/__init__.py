"""Looking inside: dumps, checks around every pass, levels, reports."""
