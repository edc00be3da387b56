"""The page of settings, and what it keeps."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from chat.models import PersonalSettings
from chat.personal import sessions
from chat.personal.forms import PersonalForm
from chat.personal.sections import BY_NAME, SECTIONS, Section
from db.users import signed_in_user
from tools.rights import signed_in


@signed_in
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    return _page(request)


@signed_in
@require_POST
def keep(request: HttpRequest, section: str) -> HttpResponse:
    """Keeps the form of one section."""
    kept = BY_NAME.get(section)
    if kept is None or kept.form is None:
        raise Http404
    form = kept.form(request.POST, instance=_settings(request), prefix=kept.name)
    if not form.is_valid():
        return _page(request, refused=form, status=422)
    form.keep()
    messages.success(request, _("%(section)s: saved.") % {"section": kept.title})
    return redirect(f"{reverse('settings:index')}#{kept.name}")


@signed_in
@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Keeps the theme that was chosen in the account menu."""
    chosen = request.POST.get("theme", "")
    if chosen not in PersonalSettings.Theme.values:
        return HttpResponseBadRequest(_("This theme does not exist."))
    PersonalSettings.change(request.user, theme=chosen)
    return HttpResponse(status=204)


@signed_in
@require_POST
def end_sessions(request: HttpRequest) -> HttpResponse:
    """Signs this person out of one other browser, or (`session` absent) of all others."""
    key, named = request.session.session_key, request.POST.get("session", "")
    count = sessions.end(request.user, key, named)
    messages.success(
        request,
        ngettext("Signed out once.", "Signed out %(count)s times.", count) % {"count": count},
    )
    return redirect(f"{reverse('settings:index')}#sessions")


def _settings(request: HttpRequest) -> PersonalSettings:
    user = signed_in_user(request)
    settings = PersonalSettings.of(user)
    settings.user = user
    return settings


def _page(
    request: HttpRequest, refused: PersonalForm | None = None, status: int = 200
) -> HttpResponse:
    shown = [_shown(request, section, refused) for section in SECTIONS]
    return render(request, "settings/page.html", {"sections": shown}, status=status)


def _shown(request: HttpRequest, section: Section, refused: PersonalForm | None) -> dict[str, Any]:
    """What the template of a section is given."""
    context = {"section": section, **section.context(request)}
    if section.form is None:
        return context
    if refused is not None and isinstance(refused, section.form):
        return {**context, "form": refused}
    return {**context, "form": section.form(instance=_settings(request), prefix=section.name)}
