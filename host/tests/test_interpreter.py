import gc
from collections.abc import Iterator

import pytest

from host import interpreter


@pytest.fixture
def thawed() -> Iterator[None]:
    yield
    gc.unfreeze()


def test_a_collection_leaves_out_what_was_there_before(thawed: None) -> None:
    existing: list[object] = []
    interpreter.freeze()
    since = {id(value) for value in gc.get_objects()}
    assert gc.get_freeze_count() > 0
    assert id(existing) not in since
