"""One row of everything, with a planted value in everything that is secret, and who asks."""

import json
import uuid
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.db.models import Field, Model
from django.utils import timezone

from audit.models import Action, Event
from chat.agent import skill_folders
from chat.commands.group_sharing import share
from chat.models import (
    AccountDeletion,
    Attachment,
    CassetteFile,
    DataArchive,
    Fact,
    Import,
    LanguageModel,
    Playground,
    PlaygroundRun,
    Preset,
    Project,
    ProjectFile,
    PromptTemplate,
    Provider,
    Question,
    QuotaRule,
    SearchedFile,
    SharedLink,
    Skill,
    Webhook,
    WebhookDelivery,
)
from chat.sharing import choices, links
from chat.tests.builders import AConversation, a_model
from chat.transfer.preview import Preview
from config.accounts.models import Invitation
from config.accounts.roles import Role, assign
from tokens.models import Token
from tokens.programs.models import Connection, OAuthClient
from tools.encryption import EncryptedJSONField, EncryptedTextField
from tools.models import Account, LocalTool, Policy, Reading, Server, ServerTool, SignIn, Trial
from tracing.models import Archive, Span, Trace
from tracing.store import payloads

CANARY = "canary-5e1d0c7b"
REQUEST = {
    "model": "walkthrough",
    "messages": [{"role": "user", "content": "How many quokkas?"}],
    "stream": True,
}
HEADERS = {
    "method": "POST",
    "url": "https://models.example/v1/chat/completions",
    "headers": [["authorization", "•••"], ["content-type", "application/json"]],
}

ENCRYPTED: list[tuple[type[Model], "Field[Any, Any]"]] = [
    (model, field)
    for model in apps.get_models()
    for field in model._meta.fields
    if isinstance(field, EncryptedTextField)
]

# `viewer` reads the traces of everybody and the dashboard; `inactive` was deactivated meanwhile.
# `reader` and `writer` are in groups that the conversation is shared with; `former` was in both.
ROLES = (
    *("anonymous", "owner", "other", "staff", "holder", "superuser"),
    *("reader", "writer", "former", "viewer", "inactive"),
)


def secrets_of(model: type[Model]) -> dict[str, Any]:
    """A planted value for each encrypted field of this model."""
    return {
        field.name: {"name": CANARY} if isinstance(field, EncryptedJSONField) else CANARY
        for owner, field in ENCRYPTED
        if owner is model
    }


@dataclass(frozen=True)
class Rows:
    """The arguments of URLs by what they name, and the people."""

    people: dict[str, User]
    arguments: dict[str, dict[str, Any]]
    conversation: uuid.UUID
    turn: uuid.UUID
    call: uuid.UUID
    question: uuid.UUID
    nested: uuid.UUID


def people(owner: User | None = None) -> dict[str, User]:
    """`holder` gets the one permission of a rule when it is asked for. `owner`: the one that there
    is already."""
    flags: dict[str, dict[str, Any]] = {
        "owner": {},
        "other": {},
        "staff": {"is_staff": True},
        "holder": {"is_staff": True},
        "superuser": {"is_staff": True, "is_superuser": True},
        "reader": {},
        "writer": {},
        "former": {},
        "viewer": {},
        "inactive": {},
    }
    made = {"owner": owner} if owner else {}
    for name, given in flags.items():
        if name not in made:
            made[name] = User.objects.create_user(name, **given)
    assign(made["viewer"], Role.VIEWER)
    User.objects.filter(pk=made["inactive"].pk).update(is_active=False)
    return made


def _connection(owner: User) -> Connection:
    """With a program that may read traces."""
    client = OAuthClient.objects.create(
        client_id="program", name="Program", redirect_uris=["http://127.0.0.1/callback"]
    )
    expires = timezone.now() + timedelta(days=1)
    return Connection.objects.create(
        user=owner, client=client, scopes=["traces"], resource="/mcp", expires=expires
    )


def grant(user: User, permission: str) -> None:
    app, _, codename = permission.partition(".")
    user.user_permissions.set(
        Permission.objects.filter(content_type__app_label=app, codename=codename)
    )


def make(owner: User | None = None) -> Rows:
    cast = people(owner)
    owner = cast["owner"]
    model = a_model()
    Provider.objects.filter(pk=model.provider.pk).update(**secrets_of(Provider))
    conversation, turn, call = _conversation(owner, model)
    nested = AConversation(owner, "A subagent", parent_call=call)
    _share(cast, conversation)
    question = Question.objects.create(
        span=call, kind=Question.Kind.URL, message="Where to?", url="https://q.example/"
    )
    arguments = {
        "conversation": {"public_id": conversation.row.public_id},
        "turn": {"public_id": turn.row.public_id},
        "message": {"public_id": turn.question.public_id},
        "model": {"public_id": model.public_id},
        "withheld_model": {"public_id": _withheld_model().public_id},
        "provider": {"public_id": model.provider.public_id},
        **_traces(turn.trace, call),
        **_links(conversation, turn),
        **_of_tools(owner),
        **_of_chat(owner, model),
        **_of_accounts(cast["other"]),
    }
    Group.objects.create(name="quokka")
    Event.objects.create(action=Action.SIGNED_IN, actor_name="quokka")
    arguments |= _of_the_admin()
    return Rows(
        cast,
        arguments,
        conversation.row.public_id,
        turn.row.public_id,
        call.public_id,
        question.public_id,
        nested.row.public_id,
    )


def _of_accounts(person: User) -> dict[str, dict[str, Any]]:
    invitation, _ = Invitation.objects.make(timezone.now() + timedelta(days=7))
    return {
        "person": {"pk": person.pk},
        "passkey": {"pk": 0},
        "invitation": {"public_id": invitation.public_id},
        "reset": {"uidb36": "1", "key": "a-b"},
        "sign_in_provider": {"provider_id": "oidc"},
    }


def _withheld_model() -> LanguageModel:
    """Given to a group that has the owner alone of those without rights."""
    model = a_model("withheld")
    group = Group.objects.create(name="A team")
    group.user_set.set(User.objects.filter(username="owner"))
    model.groups.add(group)
    return model


def _conversation(owner: User, model: LanguageModel) -> tuple[AConversation, Any, Span]:
    conversation = AConversation(owner, "A quokka", model=model)
    turn = conversation.turn("How many quokkas?", model=model, status="waiting")
    (call,) = turn.round("Let me look.", (("web_search", {"query": "quokka"}),))
    return conversation, turn, call


def _share(cast: dict[str, User], conversation: AConversation) -> None:
    """With a group that reads and one that writes; the former member was in both."""
    for role, writes in (("reader", False), ("writer", True)):
        group = Group.objects.create(name=f"{role}s")
        group.user_set.add(cast[role], cast["owner"], cast["former"])
        share(cast["owner"], conversation.row, group.pk, to_write=writes)
    cast["former"].groups.clear()


def _traces(trace: Trace, call: Span) -> dict[str, dict[str, Any]]:
    generation = Span.objects.get(trace=trace, kind="generation")
    generation.attributes = {"dialect": "native"}
    generation.save()
    body = json.dumps(REQUEST, separators=(",", ":")).encode()
    result = json.dumps({"content": [{"type": "image", "data": "AA==", "mimeType": "image/png"}]})
    payloads.store_all(
        trace.archive,
        [
            (generation, "request", body, {"attributes": HEADERS}),
            (call, "result", result.encode(), {}),
        ],
    )
    named = {"trace_id": trace.public_id, "number": 1}
    return {
        "trace": named,
        "payload": {
            "trace_id": trace.public_id,
            "span_id": generation.public_id,
            "stage": "request",
            "number": 0,
        },
        "archive": {"archive_id": trace.archive.public_id},
        "result": {"span_id": call.public_id, "index": 0},
    }


def _links(conversation: AConversation, turn: Any) -> dict[str, dict[str, Any]]:
    """A link for everybody and one for who is signed in, each with an attachment; a revoked one,
    whose address no page shows."""
    owner = conversation.row.owner
    attachment = Attachment.objects.create(
        owner=owner,
        message=turn.question,
        name="a.txt",
        media_type="text/plain",
        size=1,
        content=b"x",
    )
    about = {"name": "a.txt", "media_type": "text/plain", "size": 1}
    file = {"filename": "a.txt", "file_id": f"attachment:{attachment.public_id}"}
    parts = [{"type": "file", "file": file, "attachment": about}]
    turn.question.body = {"role": "user", "content": parts}
    turn.question.save()
    made = {
        audience: links.create(
            owner,
            conversation.row,
            choices.Choices(audience=audience, parts=frozenset(choices.PARTS)),
        )
        for audience in SharedLink.Audience.values
    }
    SharedLink.objects.create(
        owner=owner,
        conversation=conversation.row,
        audience="everybody",
        digest="of nothing",
        revoked=timezone.now(),
        **secrets_of(SharedLink),
    )
    given = {"number": 1, "key": attachment.public_id, "index": 0}
    below = {f"link_{audience}": {"token": one.token, **given} for audience, one in made.items()}
    own = {"public_id": conversation.row.public_id, **given}
    return {
        **below,
        "link": {"public_id": made["everybody"].public_id},
        "sharing": own,
        "made_link": {**own, "link_id": made["everybody"].public_id},
        "sent_attachment": {"public_id": attachment.public_id},
    }


def _of_the_admin() -> dict[str, dict[str, Any]]:
    """By `app_model`; a user's is the plain one's."""
    rows = {
        f"{model._meta.app_label}_{model._meta.model_name}": model._default_manager.order_by(
            "pk"
        ).first()
        for model in admin.site._registry
    }
    keys = {name: {"object_id": row.pk, "id": row.pk} for name, row in rows.items() if row}
    site = {
        "content_type_id": ContentType.objects.get_for_model(Provider).pk,
        "object_id": keys["chat_provider"]["object_id"],
        "app_label": "chat",
        "url": "nowhere/",
    }
    return {**keys, "site": site}


def _of_tools(owner: User) -> dict[str, dict[str, Any]]:
    program = Server.objects.create(
        name="program",
        command="sleep",
        args=["1"],
        shared=Server.Shared.STAFF,
        **secrets_of(Server),
    )
    server = Server.objects.create(
        name="quokka",
        transport="http",
        url="https://q.example/mcp",
        uses_oauth=True,
        shared=Server.Shared.STAFF,
        **secrets_of(Server),
    )
    for row in (program, server):
        ServerTool.objects.create(
            server=row, name="walk", position=1, input_schema={}, hash="x", approved_hash="x"
        )
    Account.objects.create(server=server, user=owner, **secrets_of(Account))
    SignIn.objects.create(server=server, user=owner, **secrets_of(SignIn))
    trial = Trial.objects.create(user=owner, server=server, **secrets_of(Trial))
    reading = Reading.objects.create(user=owner, server=server, kind="resource")
    LocalTool.objects.create(name="calculate", enabled=True, policy=Policy.ALLOW)
    return {
        "server": {"public_id": server.public_id, "name": server.name},
        "program": {"public_id": program.public_id, "name": program.name},
        "trial": {"public_id": trial.public_id, "position": 0},
        "reading": {"public_id": reading.public_id},
    }


def _of_chat(owner: User, model: LanguageModel) -> dict[str, dict[str, Any]]:
    preset = Preset.objects.create(name="Mine", owner=owner)
    published = Preset.objects.create(name="Draft of the deployment")
    skill_folders.refresh()
    skill = Skill.objects.earliest("name")
    attachment = Attachment.objects.create(
        owner=owner, name="a.txt", media_type="text/plain", size=1, content=b"x"
    )
    searched = SearchedFile.objects.create(owner=attachment.owner, attachment=attachment)
    fact = Fact.objects.create(owner=owner, number=1, text="Keeps quokkas.")
    cassette = Provider.objects.create(name="Played", kind=Provider.Kind.CASSETTE)
    CassetteFile.objects.create(provider=cassette, compressed=b"", size=1, answers=1)
    QuotaRule.objects.create(scope="person", user=owner, kind="turns_minute", amount=1_000)
    playground = Playground.objects.create(
        archive=Archive.objects.create(owner=owner), draft=json.dumps(REQUEST)
    )
    trace = Trace.objects.create(
        archive=playground.archive, owner=owner, kind=Trace.Kind.PLAYGROUND, name="A run"
    )
    Span.objects.create(trace=trace, kind="generation", name="generation", number=1)
    PlaygroundRun.objects.create(playground=playground, number=1, trace=trace, model=model)
    imported = Import.objects.create(
        user=owner, name="quokka.json", size=1, state="succeeded", found=Preview(owner).found
    )
    archive = DataArchive.objects.create(user=owner)
    project = Project.objects.create(owner=owner, name="Quokkas")
    file = ProjectFile.objects.create(
        project=project, name="a.txt", media_type="text/plain", size=1, content=b"x"
    )
    prompt = PromptTemplate.objects.create(name="Mine", owner=owner, text="{{a}}")
    shared_prompt = PromptTemplate.objects.create(name="For everybody", text="{{a}}")
    rule = QuotaRule.objects.create(scope="person", user=owner, kind="open_turns", amount=100)
    webhook = Webhook.objects.create(owner=owner, url="https://x.example/", secret=CANARY)
    delivery = WebhookDelivery.objects.create(
        webhook=webhook, event="test", key="1", body="{}", state="failed"
    )
    delivered = {"public_id": webhook.public_id, "delivery_id": delivery.public_id}
    return {
        "webhook": {"public_id": webhook.public_id},
        "delivery": delivered,
        "audit_file": {"kind": "csv"},
        "import": {"public_id": imported.public_id},
        "data_archive": {"public_id": archive.public_id},
        "receipt": {"public_id": AccountDeletion.objects.create().public_id},
        "project": {"public_id": project.public_id},
        "project_file": {"public_id": file.public_id},
        "prompt": {"public_id": prompt.public_id},
        "shared_prompt": {"public_id": shared_prompt.public_id},
        "quota_rule": {"public_id": rule.public_id},
        "preset": {"public_id": preset.public_id},
        "deployment": {"public_id": published.public_id},
        "skill": {"public_id": skill.public_id},
        "attachment": {"public_id": attachment.public_id},
        "file_text": {"public_id": searched.public_id},
        "playground": {"public_id": playground.public_id, "number": 1},
        "fact": {"public_id": fact.public_id},
        "token": {"public_id": Token.objects.make(owner, "program", ["read"])[0].public_id},
        "connection": {"public_id": _connection(owner).public_id},
    }
