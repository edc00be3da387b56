"""Cassettes: files of recorded turns that answer again (`docs/cassettes.md`).

    recorded, reading     the values of a cassette; parsing its file, with the place of an error
    compared_messages     the parts of a request by which a recorded round is found
    library               finding the recorded attempt for a request, or the nearest one
    answers               HTTP responses for recorded attempts
    stream_document       a recorded stream as one document
    server                the endpoint of `manage.py cassette serve`; needs no database
    builtin, builtin_views, urls    an uploaded cassette as a built-in provider
    text_cassette, walkthrough, views    the article's conversation, also in English; its endpoint

`tracing.export.cassettes` writes them.
"""
