"""The pages of people, for admins."""

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.models import Group, User
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from audit.models import Action
from audit.recording import record
from chat.errors import Rejected
from chat.models import AccountDeletion, DataArchive
from chat.own_data import archives
from chat.own_data.downloading import archive_response
from chat.personal import sessions
from config.accounts.guards import for_admins
from config.accounts.mfa import factors
from config.accounts.people import commands
from config.accounts.people.listing import people_page, person
from config.accounts.people.transfer import owned_by
from config.accounts.people.transfer import transfer as give
from config.accounts.roles import ASSIGNABLE, MEANINGS, Role, with_roles
from db.users import signed_in_user
from tokens.second_factor import factors_of


@for_admins
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    query = request.GET.get("q", "").replace("\0", "").strip()
    page, people = people_page(query, request.GET.get("page"))
    return render(request, "people/index.html", {"page": page, "people": people, "query": query})


@for_admins
@require_safe
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    return _page(request, _user(pk))


@for_admins
@require_POST
def role(request: HttpRequest, pk: int) -> HttpResponse:
    chosen = request.POST.get("role", "")
    if chosen not in Role.values:
        raise Http404
    return _done(
        request,
        pk,
        lambda by, user: commands.change_role(by, user, Role(chosen)),
        _("The role is changed."),
    )


@for_admins
@require_POST
def groups(request: HttpRequest, pk: int) -> HttpResponse:
    keys = [int(key) for key in request.POST.getlist("groups") if key.isdecimal() and len(key) < 10]
    chosen = Group.objects.filter(pk__in=keys)
    return _done(
        request,
        pk,
        lambda by, user: commands.change_groups(by, user, chosen),
        _("The groups are changed."),
    )


@for_admins
@require_POST
def activity(request: HttpRequest, pk: int) -> HttpResponse:
    """Deactivates, or (`active` is "on") activates."""
    if request.POST.get("active") == "on":
        return _done(request, pk, commands.activate, _("The account is active."))
    sentence = _("The account is deactivated: its sessions, sockets and tokens have ended.")
    return _done(request, pk, commands.deactivate, sentence)


@for_admins
@require_POST
def end_sessions(request: HttpRequest, pk: int) -> HttpResponse:
    count = commands.sign_out_everywhere(signed_in_user(request), _user(pk))
    sentence = ngettext("Signed out once.", "Signed out %(count)s times.", count)
    messages.success(request, sentence % {"count": count})
    return redirect("people:person", pk)


@for_admins
@require_POST
def link(request: HttpRequest, pk: int) -> HttpResponse:
    """Shows a one-time sign-in link, once."""
    user = _user(pk)
    try:
        path = commands.sign_in_link(signed_in_user(request), user)
    except Rejected as error:
        return _page(request, user, problem=str(error))
    return _page(request, user, link=request.build_absolute_uri(path))


@for_admins
@require_POST
def remove_factors(request: HttpRequest, pk: int) -> HttpResponse:
    return _done(request, pk, factors.remove_all, _("The second factor is removed."))


@for_admins
@require_POST
def ask_archive(request: HttpRequest, pk: int) -> HttpResponse:
    archives.ask(_user(pk))
    return redirect("people:person", pk)


@for_admins
@require_safe
def archive(request: HttpRequest, pk: int) -> HttpResponseBase:
    """The export of a leaving person's data."""
    user = _user(pk)
    row = DataArchive.objects.for_user(user).first()
    if row is None:
        raise Http404
    response = archive_response(row)
    record(Action.ACCOUNT_EXPORTED, request.user, user)
    return response


@for_admins
@require_POST
def transfer(request: HttpRequest, pk: int) -> HttpResponse:
    key = request.POST.get("to", "")
    to = User.objects.filter(pk=int(key) if key.isdecimal() and len(key) < 10 else 0).first()
    if to is None:
        return _page(
            request, _user(pk), problem=_("Choose another person, whose account is active.")
        )
    sentence = _("Everything is given to %(name)s.") % {"name": to.get_username()}
    return _done(request, pk, lambda by, user: give(by, user, to), sentence)


@for_admins
@require_POST
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Needs the user name as a proof that this person is meant."""
    user = _user(pk)
    if request.POST.get("proof", "") != user.get_username():
        return _page(request, user, problem=_("This is not the user name of this person."))
    try:
        by, without = signed_in_user(request), request.POST.get("without_export") == "on"
        row = commands.delete(by, user, without_export=without)
    except Rejected as error:
        return _page(request, user, problem=str(error))
    return redirect("data:receipt", row.public_id)


def _user(pk: int) -> User:
    return get_object_or_404(with_roles(User.objects.all()), pk=pk)


def _done(
    request: HttpRequest, pk: int, command: Callable[[User, User], object], sentence: str
) -> HttpResponse:
    """Does it and shows the person; a refusal is shown on the page."""
    user = _user(pk)
    try:
        command(signed_in_user(request), user)
    except Rejected as error:
        return _page(request, user, problem=str(error))
    messages.success(request, sentence)
    return redirect("people:person", pk)


def _page(request: HttpRequest, user: User, *, problem: str = "", link: str = "") -> HttpResponse:
    shown = person(user)
    context = {
        "person": shown,
        "roles": [(one, MEANINGS[one]) for one in ASSIGNABLE],
        "all_groups": Group.objects.order_by("name"),
        "factors": factors_of(user),
        "sessions": sessions.of(user, None),
        "tokens": user.tokens.filter(revoked=None).count(),
        "owned": owned_by(user),
        "heirs": User.objects.filter(is_active=True).exclude(pk=user.pk).order_by("username"),
        "archive": DataArchive.objects.for_user(user).first(),
        "deletion": AccountDeletion.objects.filter(user=user).first(),
        "problem": problem,
        "link": link,
        "is_self": user.pk == request.user.pk,
    }
    return render(request, "people/person.html", context, status=422 if problem else 200)
