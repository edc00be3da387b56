"""Durations and sizes for people, worded as `static/js/base/format.js` words them."""

from datetime import timedelta


def duration(length: timedelta | float | None) -> str:
    """41 ms, 1.2 s, 2 min 5 s, 1 h 4 min; a number is milliseconds."""
    if length is None:
        return ""
    ms = length.total_seconds() * 1000 if isinstance(length, timedelta) else length
    if ms < 1000:
        return f"{ms:.0f} ms"
    if ms < 59_950:
        return f"{ms / 1000:.1f} s"
    seconds = round(ms / 1000)
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60} min"


def size(count: int) -> str:
    """999 B, 1.5 KB, 20.0 MB, 10.0 GB."""
    if count < 1000:
        return f"{count} B"
    if count < 999_950:
        return f"{count / 1000:.1f} KB"
    if count < 999_950_000:
        return f"{count / 1_000_000:.1f} MB"
    return f"{count / 1_000_000_000:.1f} GB"
