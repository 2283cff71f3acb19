"""Helpers that passes of several packages use to build IR."""
