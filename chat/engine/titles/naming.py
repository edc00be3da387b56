"""The rows of a request for a title: its trace, and the title."""

from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from chat import events
from chat.agent.windows import inherited_window
from chat.engine.generation.evidence import finish_generation_without_turn
from chat.engine.generation.model_settings import opening_attributes, served
from chat.engine.generation.outcome import Generated
from chat.engine.titles import due, wording
from chat.llm.served import ModelInput, ServedModel
from chat.models import Conversation, LanguageModel, Provider, Turn
from db.threads import after_commit
from limits.models import MAX_TITLE_S
from tracing import recorder
from tracing.models import Span, Trace
from tracing.models.attributes import TraceAttributes

NamedBy = Conversation.NamedBy

NO_TITLE = "The model wrote no title."
WORKER_GONE = "The worker stopped before there was a title."


@dataclass(frozen=True)
class Naming:
    """A request for a title that was begun, with all that its model call needs."""

    conversation: Conversation
    root: Span
    generation: Span
    served: ServedModel
    meant: ModelInput


def begin(turn_id: int) -> Naming | None:
    """Takes the one try, and writes the spans of the request; None if it is not due any more, or
    another worker took it."""
    rows = ("conversation__archive", "question", "answer", "model__provider", "user__personal")
    turn = Turn.objects.select_related(*rows).filter(pk=turn_id).first()
    if turn is None or not due.is_due(turn) or turn.model is None:
        return None
    assert turn.question is not None and turn.answer is not None
    model = _model(turn.model, turn.user)
    with transaction.atomic():
        if not _change(turn.conversation, NamedBy.NOBODY, named_by=NamedBy.FIRST_WORDS):
            return None
        meant = wording.request(model, turn.question.body, turn.answer.body)
        root = _begin_trace(turn, model)
        attributes = opening_attributes(model, 1, inherited_window(None, model))
        attributes["parameters"] = meant.parameters
        generation = recorder.open_generation(recorder.open_round(root), model.name, attributes)
    return Naming(turn.conversation, root, generation, served(model), meant)


def finish(naming: Naming, generated: Generated) -> None:
    """Writes the outcome; the title unless a person has named the conversation meanwhile."""
    title = wording.title_of(generated)
    error = generated.sentence or ("" if title else NO_TITLE)
    status = Trace.Status.FAILED if error else Trace.Status.SUCCEEDED
    conversation = naming.conversation
    with transaction.atomic():
        if not Conversation.objects.filter(pk=conversation.pk).exists():
            return  # deleted, with the trace
        finish_generation_without_turn(
            conversation.archive, naming.generation, naming.meant, generated
        )
        recorder.end_if_running(naming.root.trace_id, status, error)
        named = {"title": title, "named_by": NamedBy.MODEL}
        if title and _change(conversation, NamedBy.FIRST_WORDS, **named):
            event = {"type": "conversation", "title": title}
            after_commit(partial(events.emit, conversation.public_id, event))


def give_up(naming: Naming) -> None:
    """Ends the trace of a request that was interrupted."""
    recorder.end_if_running(naming.root.trace_id, Trace.Status.FAILED, WORKER_GONE)


def sweep() -> None:
    """Ends the traces of requests whose worker was killed."""
    long_ago = timezone.now() - 2 * timedelta(seconds=MAX_TITLE_S)
    lost = Trace.objects.filter(
        kind=Trace.Kind.TITLE, status=Trace.Status.RUNNING, started__lt=long_ago
    )
    for trace_id in lost.values_list("pk", flat=True):
        recorder.end_if_running(trace_id, Trace.Status.FAILED, WORKER_GONE)


def _model(asked: LanguageModel, user: User) -> LanguageModel:
    """The model that an admin chose for titles, if it can be called and is for this user; else the
    one that answered."""
    chosen = LanguageModel.objects.for_user(user).filter(is_for_titles=True)
    return chosen.exclude(provider__kind=Provider.Kind.CASSETTE).first() or asked


def _begin_trace(turn: Turn, model: LanguageModel) -> Span:
    conversation = turn.conversation
    attributes: TraceAttributes = {
        "operation": "title",
        "conversation": str(conversation.public_id),
        "turn": str(turn.public_id),
        "model": model.name,
    }
    return recorder.begin_trace(
        conversation.archive_id,
        conversation.owner_id,
        f"Title of {conversation.title}",
        attributes,
        kind=Trace.Kind.TITLE,
        root_name="title",
    )


def _change(conversation: Conversation, was: str, /, **columns: str) -> bool:
    """Sets columns, if this is who had named it."""
    rows = Conversation.objects.filter(pk=conversation.pk, named_by=was)
    return rows.update(**columns) == 1
