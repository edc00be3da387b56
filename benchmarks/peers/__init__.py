"""Another product under the same load, for comparison: Chainlit, in a virtual environment of its
own. It is no dependency; who wants the figures installs it:

    python3 -m venv /tmp/chainlit && /tmp/chainlit/bin/pip install 'chainlit<3' aiosqlite greenlet
    python -m benchmarks.peers /tmp/chainlit

chainlit_app      a chat with one model, stored in SQLite
chainlit_client   the load client of `benchmarks.load`, for Chainlit's socket.io
"""
