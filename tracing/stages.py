"""The four stages of a generation as the page shows them."""

from dataclasses import dataclass

from django.utils.safestring import SafeString

from tracing import arrivals, json_text, origins, payloads, spoken, written
from tracing.arrivals import Arrivals
from tracing.binaries import shorten
from tracing.encodings import unpacked
from tracing.errors import PayloadCorrupt
from tracing.journal import payloads_of
from tracing.models import Payload, Span, Trace
from tracing.origins import Marks
from tracing.replies import Reply, read_reply
from tracing.requests import Given, fold_unchanged, read_given
from tracing.spoken import Output, Response
from tracing.text import Clip, decode

NAMES = ("input", "request", "response", "output")
VIEWS = {"request": ("json", "prompt"), "response": ("json", "chunks")}
# Dialects whose request can be shown as the text that a model finally reads.
PROMPTED = ("native", "nous")
# More of a body is not put into a page: all of its bytes are one link away.
MOST_BYTES = 200_000
# A compressed body is read so far.
MOST_UNPACKED = 16 * 1024 * 1024


@dataclass(frozen=True)
class Wish:
    """How stages are to be shown: all as `messages` or `json`, and some of them in their own way.

    `unfold` names the stage that shows what is unchanged, `part` the page of the chunks.
    """

    view: str = "messages"
    request: str = ""
    response: str = ""
    unfold: str = ""
    part: int = 1

    @property
    def kept(self) -> dict[str, str]:
        """What stays so from one round to the next, by the name of its query parameter."""
        own = {"request": self.request, "response": self.response}
        views = {"view": "" if self.view == "messages" else self.view, **own}
        return {name: view for name, view in views.items() if view}

    def of(self, stage: str) -> str:
        own = {"request": self.request, "response": self.response}
        return own.get(stage) or self.view


@dataclass
class Stage:
    """What a column shows: one of `given`, `response`, `output`, `arrivals`, else `text`.

    With the view `prompt` it shows none of them: that text is not made here.
    """

    name: str
    view: str = "messages"
    payload: Payload | None = None
    problem: str = ""
    given: Given | None = None
    response: Response | None = None
    output: Output | None = None
    arrivals: Arrivals | None = None
    text: Clip | None = None
    markup: SafeString | str = ""
    folded: bool = False


def read_stages(generation: Span, before: Span | None, wish: Wish) -> list[Stage]:
    """All four, with what changed since the generation `before`."""
    stored = payloads_of([generation, *([before] if before else [])])
    earlier = {name: stored.get((before.pk, name)) for name in NAMES} if before else {}
    own = {name: stored.get((generation.pk, name)) for name in NAMES}
    stages = {name: Stage(name, wish.of(name), own[name]) for name in NAMES}
    for name in ("input", "request"):
        _fill(stages[name], earlier.get(name), wish)
    _mark_written(stages["request"], stages["input"])
    _fill_answer(stages["response"], stages["output"], wish)
    return list(stages.values())


def generation_before(trace: Trace, number: int) -> Span | None:
    """The last generation before this round: of the round before, or of the turn before."""
    generations = Span.objects.filter(kind=Span.Kind.GENERATION).order_by("-id")
    found = generations.filter(trace=trace, parent__number__lt=number).first()
    if found is not None:
        return found
    turns = Trace.objects.filter(archive_id=trace.archive_id, pk__lt=trace.pk)
    earlier = turns.order_by("-pk").first()
    return generations.filter(trace=earlier).first() if earlier else None


def _fill(stage: Stage, before: Payload | None, wish: Wish) -> None:
    """What was given to the model."""
    if stage.payload is None or stage.view == "prompt":
        return
    unfold = wish.unfold == stage.name
    try:
        if stage.view == "json":
            _read_as_json(stage, stage.payload, before, unfold)
        else:
            stage.given = read_given(stage.payload, before, unfold)
        if not (stage.given or stage.text):
            _read_as_text(stage, payloads.load(stage.payload))
    except PayloadCorrupt as error:
        stage.problem = error.reason


def _mark_written(request: Stage, meant: Stage) -> None:
    if request.given and meant.given:
        request.given.items = written.mark(request.given.items, meant.given.items)


def _fill_answer(response: Stage, output: Stage, wish: Wish) -> None:
    """What came back and what it was taken for: each is read once, as both need the other."""
    sent, meant = _load_response(response), _load(output)
    value = spoken.read_output(meant) if meant else None
    reply = read_reply(sent) if sent is not None and response.view == "messages" else Reply()
    marks = origins.read_marks(value, reply.said) if output.view == "messages" else Marks()
    if sent is not None and response.payload is not None:
        if response.view == "chunks":
            response.arrivals = arrivals.read(response.payload, sent, wish.part)
        elif response.view == "messages":
            response.response = spoken.response(reply, marks)
        if not (response.arrivals or response.response):
            _read_as_text(response, sent)
    if meant is not None:
        if value is not None and output.view == "messages":
            output.output = spoken.output(value, marks, len(meant))
        else:
            _read_as_text(output, meant)


def _load_response(stage: Stage) -> bytes | None:
    """The body as it can be read; its chunks are those of what came."""
    body = _load(stage)
    if body is None or stage.payload is None or stage.view == "chunks":
        return body
    return unpacked(body, stage.payload.attributes.get("headers") or (), MOST_UNPACKED)


def _load(stage: Stage) -> bytes | None:
    if stage.payload is None:
        return None
    try:
        return payloads.load(stage.payload)
    except PayloadCorrupt as error:
        stage.problem = error.reason
        return None


def _read_as_json(stage: Stage, payload: Payload, before: Payload | None, unfold: bool) -> None:
    """The JSON of a request, messages that are as they were left out."""
    body = None if unfold or before is None else fold_unchanged(payload, before)
    if body is not None:
        stage.folded = True
        stage.text = decode(shorten(body), MOST_BYTES)
        stage.markup = json_text.pretty(stage.text.text)


def _read_as_text(stage: Stage, body: bytes) -> None:
    stage.text = decode(shorten(body), MOST_BYTES)
    if stage.text.hidden or json_text.is_json(stage.text.text):
        stage.markup = json_text.pretty(stage.text.text)
