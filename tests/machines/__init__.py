"""Processes of the product as if each were on a machine of its own: what they share is a database
and a Redis, and what they know is in their environment.

machines    one process with a home of its own; several of them on one database
"""
