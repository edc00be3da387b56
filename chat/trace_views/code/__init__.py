"""A recorded request as a program that sends it again: a curl command, or Python with an SDK.

`recorded_request` reads the record; `curl` and `python` are pure functions that write programs;
`views`, `urls` have the pages. No program has a key: it reads an environment variable.
"""
