"""The admin's pages of skills. A view fetches, calls one function, renders."""

from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from audit.models import Action
from audit.recording import record
from chat.agent import skill_files, skill_folders
from chat.agent.skill_files import SkillFile
from chat.errors import Rejected
from chat.models import Skill
from chat.permissions import CHANGE_SKILL
from chat.skills import archives, listing, uploads
from languages.later import later
from limits.files import MAX_UPLOADED_FILES
from tools.grants import GrantForm
from tools.rights import requires

NOTHING = later("Choose a zip archive or a folder.")


@requires(CHANGE_SKILL)
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    found = skill_folders.refresh()
    rows = listing.rows(found)
    context = {
        "rows": rows,
        "tokens": listing.tokens(rows),
        "left_out": found.left_out,
        "folder": settings.SKILLS_DIR,
    }
    return render(request, "skills/index.html", context)


@requires(CHANGE_SKILL)
@require_POST
def scan(request: HttpRequest) -> HttpResponse:
    """Reads every file again, also those that look as they did."""
    skill_folders.forget_read()
    found = skill_folders.refresh()
    count = len(found.skills)
    sentence = ngettext("%(count)s skill found.", "%(count)s skills found.", count)
    messages.success(request, sentence % {"count": count})
    return redirect("skills:index")


@requires(CHANGE_SKILL)
@require_http_methods(["GET", "HEAD", "POST"])
def add(request: HttpRequest) -> HttpResponse:
    context: dict[str, Any] = {"most": settings.SKILL_BYTES, "most_files": MAX_UPLOADED_FILES}
    if request.method != "POST":
        return render(request, "skills/add.html", context)
    try:
        added = _add(request)
    except Rejected as error:
        problem = {"problem": str(error), "of_folder": "folder" in request.POST}
        return render(request, "skills/add.html", context | problem, status=422)
    record(Action.ADDED, request.user, Skill.objects.get(name=added.name))
    messages.success(
        request, gettext("The skill %(name)s is there, and on.") % {"name": added.name}
    )
    if added.warning:
        messages.warning(request, added.warning)
    return redirect("skills:skill", Skill.objects.get(name=added.name).public_id)


@requires(CHANGE_SKILL)
@require_safe
def skill(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """`?file=` shows one of its files."""
    found = skill_folders.refresh()
    wanted = request.GET.get("file", "")
    shown = listing.page(_skill(public_id), found, wanted)
    context = {"page": shown, "row": shown.row, "skill": shown.row.skill, "wanted": wanted}
    context["grant"] = GrantForm(None, shown.row.skill)
    return render(request, "skills/skill.html", context)


@requires(CHANGE_SKILL)
@require_POST
def switch(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """On or off for all conversations, from their next request on."""
    switched = _skill(public_id)
    is_on = request.POST.get("on") == "1"
    Skill.objects.filter(pk=switched.pk).update(enabled=is_on)
    record(Action.SWITCHED, request.user, switched, on=is_on)
    sentence = (
        gettext("The skill %(name)s is on.") if is_on else gettext("The skill %(name)s is off.")
    )
    messages.success(request, sentence % {"name": switched.name})
    back = request.POST.get("back") == "list"
    return redirect("skills:index") if back else redirect("skills:skill", public_id)


@requires(CHANGE_SKILL)
@require_POST
def give(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """To groups, or to everybody, from the next request of each conversation on."""
    given = _skill(public_id)
    grant = GrantForm(request.POST, given)
    if grant.is_valid():
        grant.give(request.user)
        messages.success(request, gettext("%(name)s is saved.") % {"name": given.name})
    else:
        messages.error(request, gettext("One of these groups is there no more. Choose again."))
    return redirect("skills:skill", public_id)


@requires(CHANGE_SKILL)
@require_POST
def remove(request: HttpRequest, public_id: UUID) -> HttpResponse:
    removed = _skill(public_id)
    try:
        uploads.remove(removed)
    except Rejected as error:
        messages.error(request, str(error))
        return redirect("skills:skill", public_id)
    record(Action.DELETED, request.user, removed)
    messages.success(
        request, gettext("The skill %(name)s and its files were removed.") % {"name": removed.name}
    )
    return redirect("skills:index")


@requires(CHANGE_SKILL)
@require_safe
def download(request: HttpRequest, public_id: UUID) -> HttpResponseBase:
    """One file as it is, never shown as a page of ours."""
    wanted = request.GET.get("file", "")
    try:
        file = skill_files.open_part(Path(_skill(public_id).source), wanted)
    except OSError:
        raise Http404 from None
    name = wanted.rsplit("/", 1)[-1]
    plain = "application/octet-stream"
    return FileResponse(file, as_attachment=True, filename=name, content_type=plain)


def _add(request: HttpRequest) -> SkillFile:
    most, user = settings.SKILL_BYTES, request.user
    assert user.is_authenticated
    if "folder" in request.POST:
        files, paths = request.FILES.getlist("files"), request.POST.getlist("path")
        if not files:
            raise Rejected(NOTHING)
        return uploads.add(archives.from_files(files, paths, most), "", user)
    archive = request.FILES.get("archive")
    if archive is None:
        raise Rejected(NOTHING)
    return uploads.add(archives.from_zip(archive, most), Path(archive.name or "").stem, user)


def _skill(public_id: UUID) -> Skill:
    return get_object_or_404(Skill, public_id=public_id)
