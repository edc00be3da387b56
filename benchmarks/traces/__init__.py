"""Fills a database with traces, for `benchmarks.pages`.

filling     users, archives and rows, in batches
making      one trace as unsaved rows, without payloads
real        turns with payloads, stored as the engine stores them
words       questions, answers and errors in two languages
"""
