from collections.abc import Iterator

import pytest

from benchmarks.stub import Stub, running_stub


@pytest.fixture
def stub() -> Iterator[Stub]:
    with running_stub() as stub:
        yield stub
