"""A stub model endpoint over real HTTP, cheap, and honest about what it sent: OpenAI-compatible,
and the Messages API as Anthropic has it.

Benchmarks, end-to-end tests and fault tests talk to it. The model's name says how it behaves
(`grammar.py` has every option):

    stub-r50-n200         200 tokens at 50 a second
    stub-t3-k2-n20        two rounds of 3 parallel tool calls, then 20 tokens of text
    stub-n50-freset-x1    the first attempt breaks off in the middle, the second works

In a test:

    with running_stub() as stub:
        ...                             # a provider whose base URL is stub.base_url
        stub.completions[-1].sent       # the exact body bytes that the stub sent

On its own: `python -m benchmarks.stub --port 0` prints its URL.
"""

from benchmarks.stub.grammar import Behaviour, UnknownModel, parse
from benchmarks.stub.journal import LoggedRequest
from benchmarks.stub.running import Stub, StubProcess, running_stub, stub_process

__all__ = [
    "Behaviour",
    "LoggedRequest",
    "Stub",
    "StubProcess",
    "UnknownModel",
    "parse",
    "running_stub",
    "stub_process",
]
