"""Any text, made safe to look at. What is stored stays exact; this is only what is shown."""

import re

# C0 controls but tab and line ends, DEL, C1 controls; and the characters that reorder what follows
# them, which can make text look like other text.
_STRANGE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def well_formed(text: str) -> str:
    """Text that UTF-8 can carry, equally long in UTF-16: lone surrogates become U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def visible(text: str) -> str:
    """Control and reordering characters become their code points in brackets."""
    return _STRANGE.sub(lambda found: f"[U+{ord(found[0]):04X}]", well_formed(text))


def one_line(text: str, length: int) -> str:
    """The beginning of a text, spaces and line ends made one space, cut with an ellipsis."""
    line = " ".join(visible(text[: length * 4]).split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def duration(ms: float) -> str:
    """41 ms, 1.2 s, 2 min 5 s, 1 h 4 min; as `static/js/base/format.js` does it."""
    if ms < 1000:
        return f"{ms:.0f} ms"
    if ms < 59_950:
        return f"{ms / 1000:.1f} s"
    seconds = round(ms / 1000)
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60} min"
