"""Processes of the host, their garbage collector, and threads that end. Imports the standard
library only.
"""
