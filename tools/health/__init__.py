"""How servers do: jobs that check them, and their history.

chart      the last contacts as bars of a chart
checks     the job of a check: asked for, taken, rung again
contacts   one row an attempt to open a session
"""
