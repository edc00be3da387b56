"""The chat page in Chromium: how it opens, how it streams, what it weighs.

probe.js   runs in the page before its scripts: frames, long tasks, layout shifts, slow inputs
tab        a tab of a size and a processor, signed in, with the probe
texts      a message with what Markdown has, to be streamed back
"""
