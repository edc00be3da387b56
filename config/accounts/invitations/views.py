"""The page of invitations, for admins; accepting one, and asking for one by e-mail."""

import logging
from uuid import UUID

from allauth.core import ratelimit
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import Group
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from config.accounts import addresses, mails
from config.accounts.guards import for_admins
from config.accounts.invitations import commands
from config.accounts.invitations.commands import InvitationError, Invited, NameTaken
from config.accounts.invitations.forms import AcceptForm, AskForm, InvitationForm
from config.accounts.invitations.model import Invitation
from config.accounts.roles import Role
from config.accounts.signing_in import INVITATION, sign_in
from db.users import signed_in_user
from limits.web import MAX_LISTED_PEOPLE

logger = logging.getLogger(__name__)


@for_admins
@require_http_methods(["GET", "HEAD", "POST"])
def index(request: HttpRequest) -> HttpResponse:
    """All invitations, newest first; a POST makes one and shows its link, once."""
    form = InvitationForm(request.POST if request.method == "POST" else None)
    made: Invited | None = None
    if request.method == "POST" and form.is_valid():
        values = form.cleaned_data
        try:
            made = commands.invite(
                request,
                signed_in_user(request),
                email=values["email"],
                role=Role(values["role"]),
                groups=values["groups"],
                days=values["days"],
            )
            form = InvitationForm()
        except InvitationError as error:
            form.add_error(None, str(error))
    rows = Invitation.objects.select_related("made_by", "used_by").prefetch_related("groups")
    page = Paginator(rows, MAX_LISTED_PEOPLE).get_page(request.GET.get("page"))
    context = {
        "form": form,
        "made": made,
        "page": page,
        "has_groups": Group.objects.exists(),
        "is_closed": settings.SIGNUP == "closed",
    }
    status = 422 if form.is_bound and form.errors else 200
    return render(request, "people/invitations.html", context, status=status)


@for_admins
@require_POST
def revoke(request: HttpRequest, public_id: UUID) -> HttpResponse:
    invitation = get_object_or_404(Invitation, public_id=public_id)
    if commands.revoke(signed_in_user(request), invitation):
        messages.success(request, _("The invitation is revoked."))
    else:
        messages.error(request, _("This invitation could not be used any more anyway."))
    return redirect("people:invitations")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def accept(request: HttpRequest) -> HttpResponse:
    """Name and password of who was invited; a POST makes the account and signs in."""
    secret = request.POST.get("key") or request.GET.get("key", "")
    if request.user.is_authenticated:
        return render(request, "account/invitation_signed_in.html")
    try:
        invitation = commands.usable(secret)
        form = AcceptForm(request.POST if request.method == "POST" else None)
        accepted = _accepted(request, invitation, form) if form.is_valid() else None
        if accepted is not None:
            return accepted
    except InvitationError as error:
        context = {"sentence": str(error)}
        return render(request, "account/invitation_over.html", context, status=410)
    shown = {"form": form, "invitation": invitation, "key": secret}
    status = 422 if form.is_bound else 200
    return render(request, "account/invitation.html", shown, status=status)


def _accepted(
    request: HttpRequest, invitation: Invitation, form: AcceptForm
) -> HttpResponse | None:
    values = form.cleaned_data
    try:
        user = commands.accept(invitation, values["username"], values["password1"])
    except NameTaken as error:
        form.add_error("username", str(error))
        return None
    return sign_in(request, user, INVITATION)


def ask(request: HttpRequest) -> HttpResponse:
    """Sign-up by domain: the link goes to the address, and the answer is the same for all."""
    form = AskForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        email = form.cleaned_data["email"]
        if response := ratelimit.consume_or_429(request, action="signup"):
            limited: HttpResponse = response
            return limited
        _send_link(request, email)
        return render(request, "account/link_sent.html", {"email": email})
    status = 422 if form.is_bound else 200
    return render(request, "account/signup_by_domain.html", {"form": form}, status=status)


def _send_link(request: HttpRequest, email: str) -> None:
    """At most a few an hour to each address; whoever has an account is told so there."""
    if not ratelimit.consume(request, action="invitation_mail", key=email.casefold()):
        return
    if addresses.is_verified(email):
        mails.send(email, "has_account", {"link": request.build_absolute_uri("/")})
        return
    try:
        commands.invite(request, None, email=email, days=1)
    except InvitationError as error:
        logger.warning("no link was sent to who wants to sign up: %s", error)
