"""The pages of projects. A project is there for its owner only; for others its address is 404."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import Count, Max, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from chat.commands import projects
from chat.commands.projects import InstructionsChanged
from chat.errors import Rejected
from chat.models import Conversation, Preset, Project
from chat.projects.files import listed
from chat.projects.forms import read_details, read_revision
from db.public_ids import parse_public_id
from db.users import signed_in_user
from limits.chat import MAX_ROWS_A_PAGE
from limits.projects import MAX_PROJECT_INSTRUCTIONS, MAX_PROJECT_NAME, MAX_SIDEBAR_CONVERSATIONS
from tools.rights import signed_in

# A change that would overwrite another one.
CONFLICT = 409
REFUSED = 422


@signed_in
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    return _index(request)


@signed_in
@require_POST
def create(request: HttpRequest) -> HttpResponse:
    try:
        made = projects.create(signed_in_user(request), read_details(request))
    except Rejected as error:
        return _index(request, problem=str(error), name=request.POST.get("name", ""))
    return redirect(made)


@signed_in
@require_safe
def choice(request: HttpRequest) -> HttpResponse:
    """The projects that conversations can be moved to, as a part of the page."""
    rows = list(Project.objects.listed_for(request.user).only("public_id", "name", "colour"))
    return render(request, "projects/_choice.html", {"projects": rows})


@signed_in
@require_safe
def project(request: HttpRequest, public_id: UUID) -> HttpResponse:
    return _project(request, _own(request, public_id))


@signed_in
@require_POST
def details(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """Name, colour and assistant."""
    changed = _own(request, public_id)
    try:
        projects.change_details(changed, read_details(request, changed))
    except Rejected as error:
        return _project(request, changed, REFUSED, details_problem=str(error))
    messages.success(request, _("Saved."))
    return redirect(changed)


@signed_in
@require_POST
def instructions(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """By the `revision` that the form had read. What cannot be saved stays in the form."""
    changed = _own(request, public_id)
    text = request.POST.get("instructions", "")
    try:
        projects.change_instructions(changed, text, read_revision(request.POST))
    except InstructionsChanged as error:
        found = {"saved": error.current.instructions, "revision": error.current.revision}
        told = {"instructions_problem": str(error), "instructions": text, **found}
        return _project(request, changed, CONFLICT, **told)
    except Rejected as error:
        told = {"instructions_problem": str(error), "instructions": text}
        return _project(request, changed, REFUSED, **told)
    messages.success(request, _("Saved. The next messages have these instructions."))
    return redirect(changed)


@signed_in
@require_POST
def archive(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """With `archived=no` it is in the sidebar again."""
    changed = _own(request, public_id)
    if request.POST.get("archived") == "no":
        projects.unarchive(changed)
        messages.success(request, _("“%(name)s” is in the sidebar again.") % {"name": changed.name})
    else:
        projects.archive(changed)
        messages.success(
            request,
            _("“%(name)s” is archived. Its conversations stay in it.") % {"name": changed.name},
        )
    return redirect(changed)


@signed_in
@require_POST
def delete(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """Keeps its conversations, unless `conversations=delete`."""
    deleted = _own(request, public_id)
    with_conversations = request.POST.get("conversations") == "delete"
    count = projects.delete(deleted, with_conversations=with_conversations)
    sentence = (
        ngettext(
            "“%(name)s” is deleted with %(n)s conversation.",
            "“%(name)s” is deleted with %(n)s conversations.",
            count,
        )
        if with_conversations
        else ngettext(
            "“%(name)s” is deleted. Its %(n)s conversation is in the list.",
            "“%(name)s” is deleted. Its %(n)s conversations are in the list.",
            count,
        )
    )
    messages.success(request, sentence % {"name": deleted.name, "n": f"{count:,}"})
    return redirect("projects:index")


@signed_in
@require_safe
def conversations(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """A page of its conversations after the one `?before=`, as a part of the page; with `?short=1`
    the first few for the sidebar, `?current=` being marked."""
    within = _own(request, public_id)
    is_short = request.GET.get("short") == "1"
    most = MAX_SIDEBAR_CONVERSATIONS if is_short else MAX_ROWS_A_PAGE
    context = {
        **_conversations(within, parse_public_id(request.GET.get("before")), most),
        "project": within,
        "current": parse_public_id(request.GET.get("current")),
    }
    name = "_sidebar_conversations" if is_short else "_conversations"
    return render(request, f"projects/{name}.html", context)


def _index(request: HttpRequest, problem: str = "", name: str = "") -> HttpResponse:
    """All projects with the number and the last time of their conversations. One query."""
    listed_ones = Q(conversations__archived=None)
    rows = list(
        Project.objects.for_user(request.user)
        .defer("instructions")
        .annotate(
            count=Count("conversations", filter=listed_ones),
            latest=Max("conversations__updated"),
        )
        .order_by("name", "pk")
    )
    context = {
        "projects": [row for row in rows if row.archived is None],
        "archived": [row for row in rows if row.archived is not None],
        "problem": problem,
        "name": name,
        "most_name": MAX_PROJECT_NAME,
    }
    return render(request, "projects/index.html", context, status=REFUSED if problem else 200)


def _project(request: HttpRequest, shown: Project, status: int = 200, **told: Any) -> HttpResponse:
    """The page; `told` replaces what its forms say."""
    presets = list(Preset.objects.for_user(request.user))
    is_absent = shown.preset is not None and shown.preset not in presets
    withheld = Preset.objects.withheld_from(request.user)
    if shown.preset is not None and is_absent and shown.preset not in withheld:
        presets.insert(0, shown.preset)  # one that is unpublished stays until another is chosen
    own = Conversation.objects.filter(project=shown.pk)
    context = {
        "project": shown,
        "presets": presets,
        "colours": Project.Colour.choices,
        "instructions": shown.instructions,
        "revision": shown.revision,
        "most": MAX_PROJECT_INSTRUCTIONS,
        "most_name": MAX_PROJECT_NAME,
        "count": own.count(),
        "files": listed(shown),
        **_conversations(shown, None, MAX_ROWS_A_PAGE),
        **told,
    }
    return render(request, "projects/project.html", context, status=status)


def _conversations(within: Project, before: UUID | None, most: int) -> dict[str, Any]:
    """A page of the conversations, latest first; those that are archived too, as the page says."""
    rows = Conversation.objects.filter(project=within.pk).defer("instructions")
    last = rows.filter(public_id=before).first() if before else None
    page = list(rows.older_than(last).order_by("-updated", "-id")[: most + 1])
    more = page[most - 1].public_id if len(page) > most else None
    return {"conversations": page[:most], "more": more}


def _own(request: HttpRequest, public_id: UUID) -> Project:
    rows = Project.objects.for_user(request.user).select_related("preset")
    return get_object_or_404(rows, public_id=public_id)
