"""Who may see, use and change servers, for all pages.

By permission people register servers for everyone; by one more such that are programs on this
machine (stdio), which nobody else may change or test either (`tools.permissions`).
Where the operator allows it (`USER_SERVERS`), people register servers of their own by URL. Whatever
somebody may neither use nor change is not there for them (404).
"""

from collections.abc import Callable
from functools import wraps
from uuid import UUID

from allauth.account.adapter import get_adapter
from allauth.account.decorators import reauthentication_required
from allauth.account.internal.flows.reauthentication import (
    STATE_SESSION_KEY,
    is_reauthentication_required,
)
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache

from tools.models import Server, ServerTool
from tools.permissions import AnyUser, may_add_programs, may_own_servers
from tracing.permissions import holds

View = Callable[..., HttpResponseBase]


def signed_in(view: View) -> View:
    """A page for people who are signed in, never kept by a cache."""

    @wraps(view)
    @never_cache
    def guarded(request: HttpRequest, *args: object, **options: object) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        return view(request, *args, **options)

    return guarded


def reauthenticated(view: View) -> View:
    """What needs a person to show again who they are, within five minutes before: by password, code
    or passkey, with limited tries. They are asked, and a form goes on then. Who has none of these
    (they sign in by links or at the sign-in provider) is let through."""
    guarded: View = reauthentication_required(view)
    return guarded


def reauthenticated_page(view: View) -> View:
    """As `reauthenticated`, for a page with its own form: that is not kept, since it would be sent
    when somebody comes back to look at the page, and it may have a password in it."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: object, **options: object) -> HttpResponseBase:
        request.session.pop(STATE_SESSION_KEY, None)
        if not is_reauthentication_required(request, app=""):
            return view(request, *args, **options)
        method = get_adapter().get_reauthentication_methods(request.user)[0]
        return redirect(f"{method['url']}?{urlencode({'next': request.path})}")

    return signed_in(guarded)


def requires(permission: str) -> Callable[[View], View]:
    """Only for who has this permission: 403 for everyone else."""

    def guard(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: object, **options: object) -> HttpResponseBase:
            if not holds(request.user, permission):
                raise PermissionDenied
            return view(request, *args, **options)

        return signed_in(guarded)

    return guard


def for_registrars(view: View) -> View:
    """Only for who may register servers: 403 for everyone else."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: object, **options: object) -> HttpResponseBase:
        if not may_own_servers(request.user):
            raise PermissionDenied
        return view(request, *args, **options)

    return signed_in(guarded)


def refuse_programs(user: AnyUser, transport: str) -> None:
    """A stdio server runs a program on this machine: a permission of its own says who may."""
    if transport == Server.Transport.STDIO and not may_add_programs(user):
        raise PermissionDenied


def editable(request: HttpRequest, public_id: UUID) -> Server:
    """The server, if this user may change it."""
    return get_object_or_404(Server.objects.editable_by(request.user), public_id=public_id)


def visible(request: HttpRequest, public_id: UUID) -> Server:
    """The server, if this user may use or change it."""
    server = get_object_or_404(Server, public_id=public_id)
    if not may_edit(request.user, server) and not may_use(request.user, server):
        raise Http404
    return server


def tool_of(request: HttpRequest, server: Server) -> ServerTool:
    """The tool that the query names; who may not change the server sees only offered tools."""
    rows = server.tools.filter(name=request.GET.get("name", "").replace("\0", ""))
    if not may_edit(request.user, server):
        rows = rows.filter(pk__in=ServerTool.objects.callable())
    return get_object_or_404(rows)


def may_edit(user: AnyUser, server: Server) -> bool:
    return Server.objects.editable_by(user).filter(pk=server.pk).exists()


def may_use(user: AnyUser, server: Server) -> bool:
    return server.enabled and Server.objects.for_user(user).filter(pk=server.pk).exists()
