"""What the dialects make of the vectors is what they made of them when somebody read it."""

import json
from collections import Counter
from typing import Any

import pytest

from chat.llm.transcode import READERS, WRITERS
from chat.tests.llm.vectors.make import VECTORS, vector

LINES = VECTORS.read_text(encoding="utf-8").removesuffix("\n").split("\n")
KEPT: list[dict[str, Any]] = [json.loads(line) for line in LINES]


@pytest.mark.parametrize("dialect", WRITERS)
def test_the_vectors_of_a_dialect_hold(dialect: str) -> None:
    for one in KEPT:
        if one["dialect"] == dialect:
            example = one["rule"], one["direction"], one["dialect"], one["input"]
            assert vector(example) == one


def test_every_rule_and_every_direction_has_vectors() -> None:
    rules = {one["rule"] for one in KEPT}
    counts = Counter((one["direction"], one["dialect"]) for one in KEPT)

    assert rules >= {1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
    assert all(counts["to", name] >= 60 for name in WRITERS)
    assert all(counts["from", name] >= 3 for name in READERS)
