"""Whether a turn that ended asks for a title of its conversation."""

from django.conf import settings

from chat.models import Conversation, PersonalSettings, Provider, Turn


def is_due(turn: Turn) -> bool:
    """Needs no query for a turn with the rows of `Turn.objects.for_journal`."""
    if not settings.TITLES or turn.status != Turn.Status.DONE:
        return False
    return _is_unnamed(turn.conversation) and _may_ask(turn)


def _is_unnamed(conversation: Conversation) -> bool:
    return (
        conversation.named_by == Conversation.NamedBy.NOBODY
        and not conversation.is_temporary
        and not conversation.is_of_program
        and conversation.parent_call_id is None
    )


def _may_ask(turn: Turn) -> bool:
    """A recording answers what was recorded, and nothing else."""
    if turn.question_id is None or turn.answer_id is None or turn.model is None:
        return False
    if turn.model.provider.kind == Provider.Kind.CASSETTE:
        return False
    return PersonalSettings.of(turn.user).has_titles
