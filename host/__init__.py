"""Processes of the host. Imports nothing but the standard library."""
