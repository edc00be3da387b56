"""Where the time of one first token goes, line by line.

moments     the moments on its way, and the functions that tell them
sends       the moments of many sends, from what the product's processes wrote
table       medians as a table

The functions are wrapped from outside (`benchmarks/observed/bench_calls.py`), which costs 10 to 20
microseconds a call: so a line can be that much too long, and the product has no code for it.
"""
