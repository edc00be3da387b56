"""How the stages of a round share the width of the page: by how much text each one shows."""

from math import log2

from tracing.page.stages.ladder import Stage
from tracing.page.stages.messages import MessageView
from tracing.page.view_options import TraceViewOptions

# Parts of the width: of a stage that shows next to nothing, of one with the longest text, and of
# one in a view that needs room.
LEAST, WIDEST, WIDE = 2, 8, 14
_WIDE_VIEWS = ("beside", "raw", "prompt", "chunks")
# So many characters are one part more than next to none; each doubling is another one.
_FEW = 120


def share(stage: Stage, options: TraceViewOptions) -> int:
    """The stage's weight in the width of the page, from `LEAST` to `WIDE`."""
    is_own = stage.name in options.own or stage.name == options.opened
    if is_own and stage.view in _WIDE_VIEWS and stage.payload is not None:
        return WIDE
    return min(WIDEST, LEAST + int(log2(1 + characters(stage) / _FEW)))


def characters(stage: Stage) -> int:
    """How much text is shown; bytes that are read by parts count as much of it."""
    if stage.reader is not None:
        return stage.payload.size if stage.payload else 0
    if stage.request is not None:
        return sum(map(_of_entry, stage.request.entries))
    if stage.response is not None:
        return sum(len(some.text) for part in stage.response.parts for some in part.texts)
    if stage.output is not None:
        return _of_entry(stage.output.message)
    return len(stage.text.text) if stage.text else 0


def _of_entry(entry: MessageView) -> int:
    if entry.revisions:
        return sum(len(one.text) for part in entry.revisions for one in part.changes)
    texts = [entry.content, entry.reasoning]
    texts += [call.arguments for call in entry.calls] + [one.content for one in entry.results]
    return sum(len(text.text) for text in texts)
