"""A recorded request as a program that sends it again: for curl, and for the SDKs of Python.

`sent` reads what was recorded, `curl` and `python` write programs: pure functions. No key is in
any of them: where the record has a mask, the program reads an environment variable.
"""
