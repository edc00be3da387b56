"""Everything of a person as a zip: conversations with their traces, other traces, files of
workspaces, uploads, and the rows of all other tables."""

import zipfile
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone

from chat.files.downloads import pieces
from chat.files.walking import walk
from chat.llm.messages import text_of
from chat.models import Attachment, Conversation, Message, ProjectFile
from chat.own_data import rows
from chat.placement import copies
from chat.transfer import own_json
from chat.transfer.formats import title_as_name
from db.fields import dump_json
from limits.files import MAX_ZIPPED_FILES
from tools.errors import ToolError
from tools.workspace import tree
from tools.workspace.paths import shown
from tracing.export import trace_json
from tracing.models import Trace

README = """\
Everything that Roundtrip keeps of {user}, as of {now}.

conversations.json  your conversations with all branches, attachments and traces
                    (docs/conversation-json.md describes it; Roundtrip imports it again)
traces.json         other traces: playgrounds, tests of models and tools
elsewhere.jsonl     what you wrote in conversations that others share with you
elsewhere/          the files that you sent there
files/              the files of your conversations' workspaces
projects/           the files of your projects; their instructions are in tables/
uploads/            files that you uploaded and have not sent
account.json        your account, and the entries of the sign-in log under your name
tables/             your rows in all other tables, one JSON object a line; secrets are left out
"""


def write(user: User, target: BinaryIO, progress: Callable[[int], object]) -> None:
    """Writes the zip. `progress` is told how many conversations have their files in it."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
        now = f"{timezone.now():%Y-%m-%d %H:%M} UTC"
        archive.writestr("README.txt", README.format(user=user.get_username(), now=now))
        own = Conversation.objects.for_user(user).order_by("created", "pk")
        keys = list(own.values_list("pk", flat=True))
        _write(archive, "conversations.json", own_json.export(keys, with_traces=True))
        _write(archive, "traces.json", _other_traces(user))
        _write(archive, "elsewhere.jsonl", _elsewhere(user))
        _write(archive, "account.json", iter((dump_json(_account(user)) + "\n",)))
        for label, lines in rows.exported(user):
            _write(archive, f"tables/{label}.jsonl", (dump_json(one) + "\n" for one in lines))
        _write_uploads(archive, user)
        _write_projects(archive, user)
        for place, key in enumerate(keys, 1):
            if row := Conversation.objects.filter(pk=key).first():
                _write_files(archive, row)
            progress(place)


def _write(archive: zipfile.ZipFile, name: str, texts: Iterable[str]) -> None:
    with archive.open(name, "w", force_zip64=True) as member:
        for text in texts:
            member.write(text.encode())


def _other_traces(user: User) -> Iterator[str]:
    """Those of no turn."""
    traces = Trace.objects.filter(owner=user, turn=None).exclude(kind=Trace.Kind.SUBAGENT)
    keys = list(traces.order_by("pk").values_list("pk", flat=True))
    return trace_json.documents(_each(keys))


def _elsewhere(user: User) -> Iterator[str]:
    """The messages of the person in conversations of others, which are in the owners' archives:
    questions, and notes that were put into their answers. Not what models ask subagents, nor the
    product's instruction to go on."""
    of_user = Message.objects.filter(turn__author=user, turn__deleted=None)
    written = of_user.filter(role=Message.Role.USER, conversation__parent_call=None)
    messages = written.exclude(asked_turn__continues=True).order_by("pk")
    for message in messages.select_related("conversation").iterator(chunk_size=100):
        line = {
            "conversation": str(message.conversation.public_id),
            "time": own_json.time(message.created),
            "text": text_of(message.body.get("content")),
        }
        yield dump_json(line) + "\n"


def _each(keys: list[int]) -> Iterator[Trace]:
    for key in keys:
        trace = Trace.objects.select_related("archive", "parent").filter(pk=key).first()
        if trace is not None:
            yield trace


def _account(user: User) -> dict[str, Any]:
    named = ("username", "first_name", "last_name", "email", "is_staff", "is_superuser")
    sign_in_log = import_module(settings.SIGN_IN_LOG)
    return {
        **{name: getattr(user, name) for name in named},
        "joined": own_json.time(user.date_joined),
        "last_sign_in": own_json.time(user.last_login),
        "audit_log": sign_in_log.log(user),
    }


def _write_uploads(archive: zipfile.ZipFile, user: User) -> None:
    """Those that no conversation of the person has. One file in memory at a time."""
    own = Attachment.objects.for_user(user).order_by("pk")
    elsewhere = own.exclude(message=None).exclude(message__conversation__owner=user)
    for folder, files in (("uploads", own.unsent()), ("elsewhere", elsewhere)):
        for key in list(files.values_list("pk", flat=True)):
            if one := Attachment.objects.filter(pk=key).first():
                archive.writestr(f"{folder}/{key}-{Path(one.name).name}", bytes(one.content))


def _write_projects(archive: zipfile.ZipFile, user: User) -> None:
    """One file in memory at a time."""
    files = ProjectFile.objects.for_user(user).order_by("project_id", "name")
    for key in list(files.values_list("pk", flat=True)):
        if one := ProjectFile.objects.select_related("project").filter(pk=key).first():
            folder = f"{title_as_name(one.project.name)}-{one.project.public_id.hex[:8]}"
            archive.writestr(f"projects/{folder}/{one.workspace_name}", bytes(one.content))


def _write_files(archive: zipfile.ZipFile, row: Conversation) -> None:
    """The files of a workspace, without links; what is gone meanwhile is left out."""
    workspace = copies.files(row.public_id)
    folder = f"files/{title_as_name(str(row))}-{row.public_id.hex[:8]}"
    for entry in walk(workspace, "", MAX_ZIPPED_FILES):
        if entry.kind != "file":
            continue
        try:
            file = tree.open_read(workspace, entry.path)
        except ToolError:
            continue
        name = f"{folder}/{shown(entry.path)}".replace("\\", "_")
        with archive.open(name, "w", force_zip64=True) as member:
            for piece in pieces(file, entry.size):
                member.write(piece)
