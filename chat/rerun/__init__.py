"""The real engine again, over recorded answers and results (`manage.py replay`).

    scratch       the rows of a recorded turn, made anew in a database that is nobody's
    script        the recorded answers in their order; compares every request before it answers
    differences   the first place in which two requests differ
    playing       advances the turn and gives the calls their recorded results
    process       a process whose home, database and broker are made for it

The engine runs in a process of its own, whose home, database and broker are made for it and thrown
away: the statements of the engine are prepared for one database, its threads keep connections, and
nothing that it writes may reach what people have. Everything from the journal to the HTTP client is
as in a worker; only who rings (nobody: `advance` is called) and what tools do is not.
"""
