"""What the websocket does with frames about what belongs to another user."""

from django.contrib.auth.models import User

from chat.models import Turn
from chat.tests.live.tabs import Model, Open, sent
from tracing.models import Span


def test_the_conversation_of_another_user_does_not_exist(
    opened: Open, owner: User, model: Model
) -> None:
    turn = sent(opened(owner), name := model("stub-n5"))
    stranger = opened(User.objects.create_superuser("admin"))
    conversation = str(turn.conversation.public_id)
    assert stranger.ask(type="open", conversation=conversation, cursor=None)["code"] == "unknown"
    answer = stranger.ask(type="send", key="k", conversation=conversation, model=name, text="hi")
    assert answer["type"] == "rejected"
    assert Turn.objects.count() == 1


def test_only_the_owner_can_stop_a_turn(opened: Open, owner: User, model: Model) -> None:
    tab = opened(owner)
    turn = sent(tab, model("stub-n5"))
    for user, stopped in ((User.objects.create_user("outsider"), False), (owner, True)):
        other = opened(user)
        other.tell(type="stop", turn=str(turn.public_id))
        other.ask(type="ping")
        turn.refresh_from_db()
        assert (turn.stop_requested is not None) is stopped


def test_only_the_owner_can_decide_and_only_once(opened: Open, owner: User, model: Model) -> None:
    turn = sent(opened(owner), model("stub-n5"))
    assert turn.trace is not None
    call = Span.objects.create(
        trace=turn.trace,
        kind=Span.Kind.TOOL,
        name="calculate",
        status=Span.Status.AWAITING_APPROVAL,
    )
    outsider = User.objects.create_user("outsider")
    for user, decision, status in (
        (outsider, "approve", "awaiting_approval"),
        (owner, "perhaps", "awaiting_approval"),
        (owner, "deny", "denied"),
        (owner, "approve", "denied"),
    ):
        tab = opened(user)
        tab.tell(type="decide", call=str(call.public_id), decision=decision)
        tab.ask(type="ping")
        call.refresh_from_db()
        assert call.status == status
