"""Conversations with the assistants that ship, as cassettes for the browser's tests.

    scripts   what a model would say, by hand
    model     an endpoint that says it, piece by piece
    recording  has the conversations with a running product

`python -m tests.recordings` does all of it, and keeps the cassettes here. What they hold of the
product (system prompts, results of tools) is recorded, so that a test that plays one fails, with
the first difference, when the product sends a model something else.
"""
