"""The pages of prompt templates, and filling one in for the composer.

People keep templates of their own; by permission they share them with everybody and change the
shared ones. One that somebody may neither insert nor change is not there for them (404).
"""

import json
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from audit.models import Action
from audit.recording import record, record_saved
from chat.errors import Rejected
from chat.models import PromptTemplate
from chat.permissions import CHANGE_PROMPT_TEMPLATE, may_share_prompts
from chat.prompts import interchange
from chat.prompts.forms import NAME_TAKEN, PromptTemplateForm
from chat.prompts.variables import filled, variables_of
from db.users import signed_in_user
from limits.chat import MAX_PROMPT_FILE_BYTES
from tools.rights import requires, signed_in


@signed_in
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    rows = list(PromptTemplate.objects.for_user(request.user))
    shown = [(row, [one.name for one in variables_of(row.text)]) for row in rows]
    context = {
        "mine": [one for one in shown if one[0].owner_id is not None],
        "shared": [one for one in shown if one[0].owner_id is None],
        "may_share": may_share_prompts(request.user),
    }
    return render(request, "prompts/index.html", context)


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def create(request: HttpRequest) -> HttpResponse:
    """`?text=` is what the form begins with."""
    return _edit(request, PromptTemplate())


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, public_id: UUID) -> HttpResponse:
    return _edit(request, _editable(request, public_id))


@signed_in
@require_POST
def delete(request: HttpRequest, public_id: UUID) -> HttpResponse:
    deleted = _editable(request, public_id)
    if deleted.owner_id is None:
        record(Action.DELETED, request.user, deleted)
    deleted.delete()
    messages.success(request, _("The prompt %(name)s is deleted.") % {"name": deleted.name})
    return redirect("prompts:index")


@requires(CHANGE_PROMPT_TEMPLATE)
@require_POST
def share(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """Everybody may insert it from then on; with `shared=no` it is this user's own again."""
    found = _editable(request, public_id)
    is_shared = request.POST.get("shared") != "no"
    try:
        with transaction.atomic():
            owner = None if is_shared else signed_in_user(request)
            PromptTemplate.objects.filter(pk=found.pk).update(owner=owner)
            action = Action.PUBLISHED if is_shared else Action.UNPUBLISHED
            record(action, request.user, found)
    except IntegrityError:
        messages.error(request, str(NAME_TAKEN))
    else:
        done = _("%(name)s is shared. Everybody can insert it.")
        undone = _("%(name)s is no longer shared. It is yours.")
        messages.success(request, (done if is_shared else undone) % {"name": found.name})
    return redirect("prompts:index")


@signed_in
@require_POST
def fill(request: HttpRequest, public_id: UUID) -> JsonResponse:
    """`{"text"}`: the template with the `values` (JSON, texts by name) of its variables."""
    found = get_object_or_404(PromptTemplate.objects.for_user(request.user), public_id=public_id)
    return JsonResponse({"text": filled(found.text, _values(request.POST.get("values") or "{}"))})


@signed_in
@require_safe
def export(request: HttpRequest) -> HttpResponse:
    """All of the user's own; with `?shared=1` the shared ones too."""
    rows = PromptTemplate.objects.for_user(request.user)
    if not request.GET.get("shared"):
        rows = rows.filter(owner=request.user.pk)
    text = json.dumps(interchange.exported(rows), ensure_ascii=False, indent=2) + "\n"
    response = HttpResponse(text, content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="prompts.json"'
    return response


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def import_file(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return render(request, "prompts/import.html")
    text = ""
    try:
        text = _given(request)
        templates = interchange.import_templates(text, signed_in_user(request))
    except Rejected as error:
        context = {"text": text, "problem": str(error)}
        return render(request, "prompts/import.html", context, status=422)
    count = len(templates)
    sentence = ngettext("%(count)s prompt is imported.", "%(count)s prompts are imported.", count)
    messages.success(request, sentence % {"count": count})
    return redirect("prompts:index")


def _edit(request: HttpRequest, edited: PromptTemplate) -> HttpResponse:
    begun = {} if edited.pk else {"text": request.GET.get("text", "")[:10_000]}
    user = signed_in_user(request)
    form = PromptTemplateForm(request.POST or None, instance=edited, user=user, initial=begun)
    if request.method == "POST" and form.is_valid() and (saved := _saved(form)):
        if saved.owner_id is None:
            record_saved(request.user, saved, form, is_new=False)
        messages.success(request, _("%(name)s is saved.") % {"name": saved.name})
        return redirect("prompts:index")
    before = PromptTemplate.objects.filter(pk=edited.pk).first() if edited.pk else None
    status = 422 if request.method == "POST" else 200
    return render(request, "prompts/form.html", {"form": form, "template": before}, status=status)


def _saved(form: PromptTemplateForm) -> PromptTemplate | None:
    """What was saved; None if somebody has taken the name this very moment."""
    try:
        with transaction.atomic():
            saved: PromptTemplate = form.save()
            return saved
    except IntegrityError:
        form.add_error("name", str(NAME_TAKEN))
        return None


def _editable(request: HttpRequest, public_id: UUID) -> PromptTemplate:
    return get_object_or_404(PromptTemplate.objects.editable_by(request.user), public_id=public_id)


def _values(text: str) -> dict[str, str]:
    try:
        values: Any = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    known = values if isinstance(values, dict) else {}
    return {name: value for name, value in known.items() if isinstance(value, str)}


def _given(request: HttpRequest) -> str:
    """The file that was chosen, else what was pasted. Raises `Rejected`."""
    file = request.FILES.get("file")
    if file is None:
        return request.POST.get("text", "")
    if (file.size or 0) > MAX_PROMPT_FILE_BYTES:
        raise Rejected(_("This file is too large for prompts."))
    try:
        return bytes(file.read()).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Rejected(_("This is not a text file. Choose the exported JSON file.")) from None
