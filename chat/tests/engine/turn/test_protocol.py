"""The protocol of owners, facts and calls, interleaved at random.

Every rule is one transaction of somebody's: two owners, the reaper's clock, a person, two tool
workers. The model is left out; its answers are chosen by the test. What must hold is checked after
every step and at the end.
"""

import threading
import traceback
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models import Count
from django.utils import timezone
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from chat import turn_facts
from chat.agent.claimed_call import ClaimedCall
from chat.commands import branches
from chat.commands.alternatives import Edit
from chat.commands.answer import answer_question
from chat.commands.decide import decide_call
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.engine.generation import attempts, recording
from chat.engine.generation.attempts import Attempt
from chat.engine.generation.outcome import Generated
from chat.engine.tool_calls import call_claims, call_outcome, questions
from chat.engine.turn import claims, endings, journal
from chat.engine.turn.ceilings import Ceilings
from chat.engine.turn.claims import Claim
from chat.engine.turn.journal import Journal
from chat.engine.turn.step_times import TakenUp
from chat.engine.turn.steps import Finish, Leave, OpenAttempt, OpenRound, Rest, Step, next_step
from chat.engine.worker import worker_timer
from chat.engine.worker.running_turns import Cut
from chat.errors import Fenced, Rejected
from chat.llm.dialects.contract import Answer
from chat.llm.messages import assistant_message, tool_call
from chat.models import Conversation, LanguageModel, Message, Provider, Question, Turn
from tools.calls.execution import ToolResult
from tools.values.questions import Asked, InputNeeded
from tracing.models import Span

pytestmark = pytest.mark.postgres

# Threads of two processes: the first two share a name, so that only the epoch tells them apart.
PROCESS = {"one": "here", "two": "here", "three": "there", "healthy": "there"}
OWNERS = st.sampled_from(["one", "two", "three"])
CALLS = st.sampled_from([2, 1, 3, 0])
CUTS = st.sampled_from([None, None, None, None, Cut.STOPPED, Cut.HANDOVER])
RARELY = st.integers(0, 5)
ROUNDS = 4
# Edited questions beside the one whose turn is watched.
BRANCHES = 3
# One that may not be run twice, and those whose arguments may be changed.
TOOLS = ("shell", "calculate", "calculate")
QUESTION = Asked("form", "How many?", {"type": "object", "properties": {}}, key="k")
PAST = timedelta(seconds=60)


class Protocol(RuleBasedStateMachine):
    """One turn, and everybody who may touch it."""

    def __init__(self) -> None:
        super().__init__()
        user = User.objects.create(username=uuid.uuid4().hex)
        provider = Provider.objects.create(name=uuid.uuid4().hex, base_url="http://127.0.0.1:9")
        model = LanguageModel.objects.create(provider=provider, name="m")
        self.turn = send_message(
            user, NewMessage(key=uuid.uuid4().hex, text="question", model_id=model.public_id)
        )
        Conversation.objects.filter(turns=self.turn).update(limits={"rounds": ROUNDS})
        self.claims: dict[str, Claim] = {}
        self.plans: dict[str, tuple[Journal, Step]] = {}
        self.attempts: dict[str, Attempt] = {}
        self.calls: list[ClaimedCall] = []
        self.sent: dict[int, int] = {}
        self.epoch = 0
        self.final = ""

    @initialize(calls=CALLS)
    def begin(self, calls: int) -> None:
        """Most of what can go wrong needs calls: half of the runs begin with some."""
        if calls > 1:
            for _ in range(4):
                self.advance("one", calls, None)

    # Owners.

    @rule(owner=OWNERS, calls=CALLS, cut=CUTS)
    def advance(self, owner: str, calls: int, cut: Cut | None) -> None:
        """The next transaction of this owner: a claim, a look at the journal, the step that it
        asked for, or what the model answered."""
        if owner in self.attempts:
            self.finish_generation(owner, calls, cut)
        elif owner in self.plans:
            self.step(owner)
        elif owner in self.claims:
            read = journal.read(self.turn.pk)
            self.plans[owner] = read, next_step(read, Ceilings())
        else:
            self.claim(owner)

    def claim(self, owner: str) -> None:
        claim = claims.claim(self.turn.pk, PROCESS[owner])
        if claim is not None:
            assert claim.epoch == self.epoch + 1
            self.epoch = claim.epoch
            self.claims[owner] = claim

    def step(self, owner: str) -> None:
        read, chosen = self.plans.pop(owner)
        with self._fenced(owner):
            self._perform(owner, self.claims[owner], read, chosen)

    @contextmanager
    def _fenced(self, owner: str) -> Iterator[None]:
        """An owner is fenced exactly if it was overtaken, or the turn is over."""
        claim = self.claims[owner]
        overtaken = claim.epoch < self.epoch or not self._turn().is_open
        try:
            yield
        except Fenced:
            assert overtaken
            del self.claims[owner]
        else:
            assert not overtaken

    def _perform(self, owner: str, claim: Claim, read: Journal, chosen: Step) -> None:
        match chosen:
            case OpenRound():
                opened = attempts.open_round(claim, read, chosen, TakenUp.now())
                assert isinstance(opened, Attempt)  # nothing here is long enough for a summary
                self.attempts[owner] = opened
            case OpenAttempt():
                again = attempts.open_attempt(claim, read, chosen)
                assert isinstance(again, Attempt)
                self.attempts[owner] = again
            case Rest():
                if claims.release(claim, read.turn.wakeups, Turn.Status.WAITING):
                    del self.claims[owner]
            case Finish():
                endings.finish_between_generations(claim, read, chosen)
                del self.claims[owner]

    def finish_generation(self, owner: str, calls: int, cut: Cut | None) -> None:
        attempt = self.attempts.pop(owner)
        if cut is Cut.HANDOVER:
            claims.hand_over(self.claims.pop(owner))
            return
        with self._fenced(owner):
            claim, generated = self.claims[owner], _answer(calls, cut)
            if recording.finish_generation(claim, attempt, generated) == Leave():
                del self.claims[owner]

    @rule()
    def time_passes(self) -> None:
        """Enough for every lease to end, and for the reaper to look."""
        self.leases_run_out()
        worker_timer.reap_calls()

    def leases_run_out(self) -> None:
        """A slow owner: it lives, but its lease was not renewed."""
        past = timezone.now() - PAST
        Turn.objects.exclude(owner="").filter(pk=self.turn.pk).update(lease_expires=past)
        self._calls().update(created=past)
        self._calls().exclude(owner="").update(lease_expires=past)

    # People.

    @rule(chance=RARELY)
    def stop(self, chance: int) -> None:
        if chance == 0:
            assert turn_facts.stop(self.turn) == self._turn().is_open

    @rule(
        approve=st.booleans(),
        for_conversation=st.booleans(),
        arguments=st.sampled_from([None, "{}", '{"expr": "1 + 1"}']),
    )
    def decide(self, approve: bool, for_conversation: bool, arguments: str | None) -> None:
        asked = self._calls().filter(status=Span.Status.AWAITING_APPROVAL).first()
        if asked is not None and self._decide(asked, approve, for_conversation, arguments):
            assert not decide_call(asked, approve=not approve)

    def _decide(
        self, call: Span, approve: bool, for_conversation: bool, arguments: str | None
    ) -> bool:
        try:
            return decide_call(
                call, approve=approve, for_conversation=for_conversation, arguments=arguments
            )
        except Rejected:  # the arguments do not fit: the call waits on
            assert Span.objects.get(pk=call.pk).status == Span.Status.AWAITING_APPROVAL
            return False

    @rule(chance=RARELY, back=st.booleans())
    def branch(self, chance: int, back: bool) -> None:
        """The question is edited, or another branch is shown, whatever the turn does."""
        if chance:
            return
        assert self.turn.question is not None
        turns = Turn.objects.filter(conversation=self.turn.conversation_id).order_by("pk")
        beside = turns.exclude(pk=self.turn.pk)
        if back and beside.exists():
            hidden = turns.filter(is_shown=False).first()
            assert hidden is not None
            branches.switch(self.turn.conversation, hidden.public_id)
        elif beside.count() < BRANCHES:
            edited = NewMessage(
                key=uuid.uuid4().hex,
                text="edited",
                conversation_id=self.turn.conversation.public_id,
                model_id=self.turn.model.public_id if self.turn.model else None,
                alternative=Edit(self.turn.question.public_id),
            )
            is_running = turns.begun().exists()  # this turn, or one that was edited before
            sent = send_message(self.turn.user, edited)
            assert sent.parent_id == self.turn.parent_id
            assert bool(sent.wakeups) != is_running

    @rule(action=st.sampled_from(["accept", "decline", "cancel"]))
    def answer(self, action: str) -> None:
        question = Question.objects.filter(span__trace=self.turn.trace, state="open").first()
        if question is not None and answer_question(question, action, {}):
            assert not answer_question(question, "accept", {})

    @rule(chance=RARELY)
    def ask_for_approval(self, chance: int) -> None:
        """A policy would do this where the call is proposed."""
        if chance:
            return
        free = self._calls().filter(status=Span.Status.APPROVED, owner="").first()
        if free is not None:
            Span.objects.filter(pk=free.pk).update(status=Span.Status.AWAITING_APPROVAL)

    # Tool workers.

    @rule(data=st.data(), again=st.booleans())
    def work(self, data: st.DataObject, again: bool) -> None:
        """A worker claims a call; or one that did goes on, whatever happened meanwhile."""
        if self.calls and again:
            self._go_on(data)
            return
        ids = list(self._calls().values_list("pk", flat=True))
        call = call_claims.claim_call(data.draw(st.sampled_from(ids))) if ids else None
        if call is not None:
            self.calls.append(call)

    def _go_on(self, data: st.DataObject) -> None:
        call = data.draw(st.sampled_from(self.calls))
        match data.draw(st.sampled_from(["send", "report", "ask", "keep"])):
            case "send":
                self._mark_sent(call)
            case "report":
                self._report(call, data.draw(st.booleans()))
            case "ask":
                with suppress(Fenced):  # its server asks, and waits
                    questions._store_asked(call, uuid.uuid4(), QUESTION)
            case "keep":
                self._keep(call)

    def _keep(self, call: ClaimedCall) -> None:
        """Its server needs an answer first: the call has ended there, and may be made again."""
        try:
            questions.suspend(call, InputNeeded("state", (QUESTION,)))
        except Fenced:
            return
        self.sent.pop(call.span.pk, None)

    def _mark_sent(self, call: ClaimedCall) -> None:
        try:
            call_claims.mark_sent(call)
        except Fenced:
            return
        if not call.span.idempotent:
            self.sent[call.span.pk] = self.sent.get(call.span.pk, 0) + 1

    def _report(self, call: ClaimedCall, is_error: bool) -> None:
        before = Span.objects.get(pk=call.span.pk)
        result = ToolResult.error("no") if is_error else ToolResult.of_text("result")
        call_outcome.finish_call(call, result)
        if before.token != call.token or not before.is_open:
            assert Span.objects.get(pk=call.span.pk).status == before.status

    # What must hold.

    @invariant()
    def the_first_final_state_stays(self) -> None:
        status = self._turn().status
        assert not self.final or status == self.final
        if status not in Turn.OPEN:
            self.final = status

    @invariant()
    def nothing_is_forgotten(self) -> None:
        """A turn that nobody owns was rung, or has nothing to do."""
        read = journal.read(self.turn.pk)
        if read.turn.is_open and not read.turn.owner and read.turn.wakeups <= read.turn.seen:
            assert next_step(read, Ceilings()) == Rest()

    @invariant()
    def one_branch_is_shown(self) -> None:
        """The shown turns are a path from a root to a leaf."""
        turns = Turn.objects.filter(conversation=self.turn.conversation_id)
        path = list(turns.filter(is_shown=True).order_by("pk").values_list("pk", "parent"))
        keys = [pk for pk, _ in path]
        assert keys
        assert [parent for _, parent in path] == [None, *keys[:-1]]
        assert not turns.filter(parent=keys[-1]).exists()

    @invariant()
    def a_branch_is_left_as_it_is(self) -> None:
        """What is edited has messages of its own: none of another branch follows them."""
        astray = Message.objects.filter(turn=self.turn, parent__turn__isnull=False)
        assert not astray.exclude(parent__turn=self.turn).exists()

    @invariant()
    def a_call_has_one_result_at_most(self) -> None:
        answers = Message.objects.filter(turn=self.turn, role=Message.Role.TOOL)
        doubled = answers.values("span").annotate(n=Count("pk")).filter(n__gt=1)
        assert not doubled.exists()

    @invariant()
    def nobody_is_asked_for_a_call_that_is_over(self) -> None:
        asked = Question.objects.filter(span__trace=self.turn.trace, state="open")
        assert not asked.exclude(span__status=Span.Status.WAITING).exists()

    @invariant()
    def what_is_not_idempotent_is_sent_once(self) -> None:
        assert all(times == 1 for times in self.sent.values())

    def teardown(self) -> None:
        """Left alone with one healthy owner and one healthy worker, the turn comes to an end."""
        for _ in range(40):
            if not self._turn().is_open:
                break
            self._recover()
        turn = self._turn()
        assert not turn.is_open
        answered = Message.objects.filter(turn=turn, role=Message.Role.TOOL)
        assert set(self._calls().values_list("pk", flat=True)) == set(
            answered.values_list("span_id", flat=True)
        )
        open_spans = Span.objects.filter(trace=turn.trace, status__in=Span.OPEN)
        assert not open_spans.exists()
        self._the_next_branch_is_rung()

    def _the_next_branch_is_rung(self) -> None:
        """Of the edited questions that waited the first begins when the turn is over."""
        waiting = Turn.objects.open().filter(conversation=self.turn.conversation_id)
        first = waiting.order_by("pk").first()
        assert first is None or first.wakeups > first.seen

    def _recover(self) -> None:
        self.leases_run_out()
        for question in Question.objects.filter(span__trace=self.turn.trace, state="open"):
            answer_question(question, "cancel")
        for waiting in self._calls().filter(status=Span.Status.AWAITING_APPROVAL):
            decide_call(waiting, approve=False, reason="no")
        for call_id in worker_timer.reap_calls():
            call = call_claims.claim_call(call_id)
            if call is not None:
                self._mark_sent(call)
                call_outcome.finish_call(call, ToolResult.of_text("recovered"))
        self.claims.clear()
        self.plans.clear()
        self.attempts.clear()
        self.advance("healthy", 0, None)
        while "healthy" in self.claims:
            self.advance("healthy", 0, None)

    def _turn(self) -> Turn:
        return Turn.objects.get(pk=self.turn.pk)

    def _calls(self) -> Any:
        return Span.objects.filter(trace=self.turn.trace, kind=Span.Kind.TOOL).order_by("pk")


def _answer(calls: int, cut: Cut | None) -> Generated:
    made = [tool_call(uuid.uuid4().hex, name, '{"expr": "1"}') for name in TOOLS[:calls]]
    return Generated(answer=Answer(assistant_message("text", calls=made)), cut=cut)


def test_no_interleaving_breaks_the_protocol(transactional_db: None, redis_server: object) -> None:
    try:
        _run_state_machine()
    except BaseExceptionGroup as failures:
        pytest.fail(f"{_causes(failures)}\nThreads: {threading.enumerate()}")


def _run_state_machine() -> None:
    run_state_machine_as_test(
        Protocol,
        settings=settings(
            # An example is forty transactions: fewer of them than of other properties.
            max_examples=settings().max_examples * 2 // 5,
            stateful_step_count=40,
            suppress_health_check=list(HealthCheck),
        ),
    )


def _causes(failure: BaseException) -> str:
    """The exceptions of a group, each with its notes and where it was raised, the cause last: a
    log that is cut from above still has it."""
    if isinstance(failure, BaseExceptionGroup):
        notes = "\n".join(getattr(failure, "__notes__", []))
        return "\n".join([notes, *(_causes(part) for part in failure.exceptions)])
    return "".join(traceback.format_exception(failure)[-6:])
