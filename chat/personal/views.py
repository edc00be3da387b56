"""The page of settings, and what it keeps."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from chat.models import PersonalSettings
from chat.personal import api_tokens, sessions
from chat.personal.forms import PersonalForm
from chat.personal.sections import BY_NAME, SECTIONS, Section
from db.users import signed_in_user
from tokens.commands import revoke_token as revoke
from tools.rights import reauthenticated, signed_in


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


@signed_in
@require_POST
@reauthenticated
def make_token(request: HttpRequest) -> HttpResponse:
    """Makes an API token, and shows its secret on the page: this once."""
    form = api_tokens.TokenForm(request.POST, user=signed_in_user(request))
    made = form.made()
    told = {"form": form} if made is None else {"made": made[0], "secret": made[1]}
    return _page(request, told={"tokens": told}, status=422 if made is None else 200)


@signed_in
@require_POST
def revoke_token(request: HttpRequest, public_id: UUID) -> HttpResponse:
    if not revoke(signed_in_user(request), public_id):
        raise Http404
    messages.success(request, _("Revoked. Programs that have this token are refused."))
    return redirect(f"{reverse('settings:index')}#tokens")


def _settings(request: HttpRequest) -> PersonalSettings:
    user = signed_in_user(request)
    settings = PersonalSettings.of(user)
    settings.user = user
    return settings


def _page(
    request: HttpRequest,
    refused: PersonalForm | None = None,
    told: Mapping[str, dict[str, Any]] | None = None,
    status: int = 200,
) -> HttpResponse:
    """`told` replaces what the templates of sections are given, by the section's name."""
    shown = [
        _shown(request, section, refused) | (told or {}).get(section.name, {})
        for section in SECTIONS
    ]
    return render(request, "settings/page.html", {"sections": shown}, status=status)


def _shown(request: HttpRequest, section: Section, refused: PersonalForm | None) -> dict[str, Any]:
    """What the template of a section is given."""
    context = {"section": section, **section.context(request)}
    if section.form is None:
        return context
    if refused is not None and isinstance(refused, section.form):
        return {**context, "form": refused}
    return {**context, "form": section.form(instance=_settings(request), prefix=section.name)}
