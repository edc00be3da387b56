"""Reading on in a result that was cut."""

from limits.tools import MAX_READ_RESULT
from tools.errors import ToolError
from tools.values.call import CallContext


def read_result(
    call: str, context: CallContext, offset: int = 0, limit: int = MAX_READ_RESULT
) -> str:
    """Read a part of the result of an earlier tool call that was too long to be shown in full.

    Args:
        call: The id of the result, as the note in the cut result gives it.
        offset: The first character to read, counted from 0.
        limit: How many characters to read, at most 20000.
    """
    text = context.earlier(call)
    if text is None:
        raise ToolError(f"there is no earlier result with the id {call!r} in this conversation")
    if not 0 <= offset < max(len(text), 1):
        raise ToolError(f"the result has {len(text):,} characters; offset {offset:,} is not in it")
    end = min(offset + max(1, min(limit, MAX_READ_RESULT)), len(text))
    rest = f"{len(text) - end:,} follow, from offset {end}" if end < len(text) else "the end"
    return f"{text[offset:end]}\n\n[characters {offset:,} to {end:,} of {len(text):,}; {rest}]"
