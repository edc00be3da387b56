"""Widths of the stage columns, by the amount of text in each."""

from math import log2

from tracing.formatting.text import Clip
from tracing.page.stages.contents import RawBytes, Stage, StageText
from tracing.page.stages.messages import MessageView
from tracing.page.stages.request import RequestView
from tracing.page.stages.response import OutputView, ResponseView
from tracing.page.view_options import TraceViewOptions

# Weights: of a stage with little text, of one with the longest text, and of one in a wide view.
LEAST, WIDEST, WIDE = 2, 8, 14
_WIDE_VIEWS = ("beside", "raw", "prompt", "chunks")
# Characters that add 1 to the smallest weight; each doubling adds another 1.
_FEW = 120


def share(stage: Stage, options: TraceViewOptions) -> int:
    """The stage's weight in the width of the page, from `LEAST` to `WIDE`."""
    is_own = stage.name in options.own or stage.name == options.opened
    if is_own and stage.view in _WIDE_VIEWS and stage.payload is not None:
        return WIDE
    return min(WIDEST, LEAST + int(log2(1 + characters(stage) / _FEW)))


def characters(stage: Stage) -> int:
    """Characters of text in the content; the size of the payload if it is shown as bytes."""
    match stage.content:
        case RawBytes(reader):
            return reader.payload.size
        case RequestView() as request:
            return sum(map(_of_message, request.entries))
        case ResponseView(parts=parts):
            return sum(len(piece.text) for part in parts for piece in part.texts)
        case OutputView(message=message):
            return _of_message(message)
        case StageText(text=Clip(text)):
            return len(text)
    return 0


def _of_message(message: MessageView) -> int:
    if message.revisions:
        return sum(len(one.text) for part in message.revisions for one in part.changes)
    texts = [message.content, message.reasoning]
    texts += [call.arguments for call in message.calls] + [one.content for one in message.results]
    return sum(len(text.text) for text in texts)
