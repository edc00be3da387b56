from tests import selection


def test_every_place_that_has_a_mark_exists() -> None:
    places = [place for places in selection.PLACES.values() for place in places]
    places += selection.ENGINE_BESIDE_THE_DATABASE

    assert [place for place in places if not (selection.ROOT / place).exists()] == []
