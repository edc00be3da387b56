"""Trying a connection or a tool from a page.

log        the lines that a page shows while a trial runs
running    the trial itself, in the `tools` worker
trace      the trace of a tried call
trials     the job: asked for, its limits
"""
