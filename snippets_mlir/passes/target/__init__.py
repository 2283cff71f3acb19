"""Passes that name the machine a module is compiled for."""
