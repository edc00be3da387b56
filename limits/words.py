"""The value of a limit with its unit: `10 MB`, `5 minutes`, `1,000 rows`."""

from datetime import timedelta

from limits.table import Entry, Value

_BINARY = ((1024**3, "GiB"), (1024**2, "MiB"), (1024, "KiB"))
_DECIMAL = ((1000**3, "GB"), (1000**2, "MB"), (1000, "KB"))
_TIMES = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


def value(entry: Entry) -> str:
    number, unit = entry.value, entry.limit.unit
    if isinstance(number, timedelta):
        return _duration(number.total_seconds())
    if unit == "seconds":
        return _duration(float(number))
    counted, _, per = unit.partition(" a ")
    rate = f" a {per}" if per else ""
    if counted == "bytes":
        return _size(int(number)) + rate
    return _counted(number, counted) + rate


def _duration(seconds: float) -> str:
    for length, name in _TIMES:
        if seconds >= length and seconds % length == 0:
            return _counted(int(seconds // length), f"{name}s")
    return _counted(seconds, "seconds")


def _size(count: int) -> str:
    """Exact: in the first unit that divides it."""
    for length, name in (*_BINARY, *_DECIMAL):
        if count >= length and count % length == 0:
            return f"{count // length:,} {name}"
    return _counted(count, "bytes")


def _counted(number: Value, noun: str) -> str:
    text = f"{number:,}" if isinstance(number, int) else f"{number:,g}"
    return f"{text} {noun.removesuffix('s') if number == 1 else noun}".strip()
