"""Processes of the host, and their garbage collector. Imports the standard library only."""
