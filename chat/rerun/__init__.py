"""Running a recorded turn again in the real engine (`manage.py replay`).

    scratch       the rows of a recorded turn, in a temporary database
    script        the recorded answers in their order; compares each request with the recorded one
    differences   the first difference of two requests
    replay        advances the turn and gives its calls their recorded results
    process       the process with a temporary home, database and broker
    report        the result for people

The engine runs in a process of its own with a temporary home, database and broker: its statements
are prepared for one database, its threads keep connections, and nothing that it writes may reach
real data. Everything from the journal to the HTTP client is as in a worker, except that `advance`
is called directly, and tools are not run.
"""
