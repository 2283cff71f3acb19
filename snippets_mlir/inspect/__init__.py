"""Inspection: dumps, checks around every pass, levels, reports."""
