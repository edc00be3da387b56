"""Processes of the host, their interpreter, and threads that end. Imports the standard library
only.
"""
