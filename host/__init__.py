"""Processes of the host, their interpreter, threads that end, and the ids of log lines. Imports the
standard library only, or what older Pythons have in its place (`zstd`).
"""
