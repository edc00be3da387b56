"""The text that a tab shows of a turn, against what is stored of it."""

from collections.abc import Iterator

from tests.chaos.journal import Line
from tests.faults.ledger import FINAL


def texts_match(shown: Line, status: str, stored: dict[int | None, str]) -> Iterator[str]:
    """What differs. `stored` has the text of each round; rounds that the page fetched with a
    snapshot (`known`, `whole`) are the database's."""
    if shown["whole"]:
        return
    if shown["state"] not in FINAL:
        yield f"it shows {shown['state']} of a turn that is {status}"
        return
    if shown["state"] != status:
        yield f"it shows {shown['state']}, stored is {status}"
    displayed = {int(number): one["text"] for number, one in shown["rounds"].items()}
    for number in sorted({*displayed, *(key for key in stored if key is not None)}):
        if number <= shown["known"] and number not in displayed:
            continue
        here, there = displayed.get(number, ""), stored.get(number, "")
        if here != there:
            lengths = f"{len(here)} of {len(there)} characters"
            yield f"round {number} shows {lengths}{_where(here, there)}"


def _where(here: str, there: str) -> str:
    pairs = zip(here, there, strict=False)
    at = next((place for place, (one, other) in enumerate(pairs) if one != other), None)
    return "" if at is None else f", and differs at {at}"
