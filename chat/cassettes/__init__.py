"""Cassettes: files of recorded turns that answer again (`docs/cassettes.md`).

    recorded, reading   the file as values; a broken one names the place
    entries, library    which recorded round was asked with these very messages
    answers, whole      a recorded answer as an HTTP response, in its own time or another
    server              the endpoint of `manage.py cassette serve`; knows no database
    builtin             a cassette that an admin uploaded, as a provider of this server's own

`tracing.export.cassettes` writes them.
"""
