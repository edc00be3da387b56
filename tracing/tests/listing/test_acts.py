import json
from typing import Any, ClassVar

from django.contrib.auth.models import Permission, User
from django.test import TestCase
from django.urls import reverse

from tests.responses import body_of
from tracing.list import actions
from tracing.models import Archive, Deletion, Payload, Trace
from tracing.store import payloads
from tracing.tests.builders import ATurn, a_user, wire
from tracing.tests.listing.builders import a_trace

DELETE = reverse("tracing:list_delete")


class Acts(TestCase):
    owner: ClassVar[User]
    ended: ClassVar[Trace]
    failed: ClassVar[Trace]
    running: ClassVar[Trace]
    theirs: ClassVar[Trace]

    @classmethod
    def setUpTestData(cls) -> None:
        cls.owner = a_user()
        cls.ended = a_trace(cls.owner, "ended", 2)
        cls.failed = a_trace(cls.owner, "failed", 3, status="failed")
        cls.running = a_trace(cls.owner, "running", 1, status="running", ended=None)
        cls.theirs = a_trace(a_user(), "theirs", 4)

    def post(self, user: User, address: str = DELETE, **posted: Any) -> Any:
        self.client.force_login(user)
        return self.client.post(address, posted, follow=True)

    def left(self) -> set[str]:
        return set(Trace.objects.values_list("name", flat=True))

    def test_deleting_asks_first_and_says_what_goes_and_what_stays(self) -> None:
        page = self.post(self.owner, trace=[self.ended.public_id])
        self.assertContains(page, "Delete 1 trace?")
        self.assertContains(page, "The conversations with their messages")
        assert len(self.left()) == 4

    def test_deleting_for_sure_deletes(self) -> None:
        self.post(self.owner, trace=[self.ended.public_id], sure="1")
        assert self.left() == {"failed", "running", "theirs"}

    def test_running_traces_are_refused(self) -> None:
        page = self.post(self.owner, trace=[self.running.public_id])
        self.assertContains(page, "running and will stay")
        self.post(self.owner, trace=[self.running.public_id], sure="1")
        assert "running" in self.left()

    def test_nobody_deletes_what_is_not_theirs(self) -> None:
        page = self.post(self.owner, trace=[self.theirs.public_id], sure="1")
        self.assertContains(page, "Nothing was selected")
        self.post(self.owner, all="1", wish="", sure="1")
        assert self.left() == {"running", "theirs"}

    def test_staff_delete_anybodys(self) -> None:
        self.post(a_user(is_superuser=True), trace=[self.theirs.public_id], sure="1")
        assert "theirs" not in self.left()

    def test_who_may_read_all_traces_deletes_others_by_a_permission_more(self) -> None:
        reader = a_user(is_staff=True)
        reader.user_permissions.set(Permission.objects.filter(codename="view_trace"))
        page = self.post(reader, trace=[self.theirs.public_id])
        self.assertContains(page, "another person’s and will stay")
        self.post(reader, trace=[self.theirs.public_id], sure="1")
        assert "theirs" in self.left()
        reader.user_permissions.add(Permission.objects.get(codename="delete_trace"))
        self.post(reader, trace=[self.theirs.public_id], sure="1")
        assert "theirs" not in self.left()

    def test_all_that_fit_are_those_of_the_list(self) -> None:
        self.post(self.owner, all="1", wish="?status=failed", sure="1")
        assert self.left() == {"ended", "running", "theirs"}

    def test_a_link_deletes_nothing(self) -> None:
        self.client.force_login(self.owner)
        assert self.client.get(DELETE).status_code == 405

    def test_many_are_left_to_a_worker(self) -> None:
        for number in range(actions.DELETED_AT_ONCE + 5):
            a_trace(self.owner, f"number {number}", 100 + number)
        page = self.post(self.owner, all="1", wish="", sure="1")
        deletion = Deletion.objects.get()
        self.assertContains(page, f"0 of {deletion.total} traces are deleted")
        assert len(deletion.traces) == 7

    def test_a_selection_is_exported_with_all_stages(self) -> None:
        turn = ATurn(self.owner)
        turn.a_round(1, (0, 9))
        turn.a_generation({"request": wire({"messages": []})}, (0, 9))
        turn.end(10)
        address = reverse("tracing:list_export")
        chosen = [turn.trace.public_id, self.ended.public_id, self.theirs.public_id]
        answer = self.post(self.owner, address, trace=chosen)
        traces = json.loads(body_of(answer))["traces"]
        assert [trace["name"] for trace in traces] == [turn.trace.name, "ended"]
        assert traces[0]["rounds"][0]["generations"][0]["request"]["body"] == '{"messages":[]}'

    def test_a_selection_is_one_cassette(self) -> None:
        address = reverse("tracing:list_cassette")
        chosen = [self.failed.public_id, self.ended.public_id]
        answer = self.post(self.owner, address, trace=chosen)
        cassette = json.loads(body_of(answer))
        assert len(cassette["turns"]) == 2

    def test_evidence_goes_with_its_trace_and_other_traces_keep_theirs(self) -> None:
        turn = ATurn(self.owner, "first")
        body = wire({"messages": [{"role": "user", "content": "shared " * 200}]})
        first = turn.trace
        turn.a_round(1, (0, 9))
        turn.a_generation(
            {"request": body, "output": wire({"messages": [{"content": "its own " * 200}]})}, (0, 9)
        )
        turn.end(10)
        turn.begin("second")
        turn.a_round(1, (0, 9))
        turn.a_generation({"request": body}, (0, 9))
        turn.end(10)
        self.post(self.owner, trace=[first.public_id], sure="1")
        kept = Payload.objects.get(span__trace=turn.trace)
        assert payloads.load(kept) == body
        assert turn.archive.blob_set.count() == 1

    def test_the_archive_of_a_probe_goes_with_it(self) -> None:
        probe = a_trace(self.owner, "probe", kind="probe")
        self.post(self.owner, trace=[probe.public_id], sure="1")
        assert not Archive.objects.filter(pk=probe.archive_id).exists()
        assert Archive.objects.filter(pk=self.ended.archive_id).exists()
