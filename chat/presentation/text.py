"""Text for templates. Stored text stays exact."""

from tracing.formatting.text import visible


def well_formed(text: str) -> str:
    """Text that UTF-8 can carry, equally long in UTF-16: lone surrogates become U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def one_line(text: str, length: int) -> str:
    """The first `length` characters, runs of white space as one space, cut with an ellipsis."""
    line = visible(" ".join(text[: length * 4].split()))
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"
