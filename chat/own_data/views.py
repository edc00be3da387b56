"""The archive of a person's data, and the deletion of their account with its receipt."""

from uuid import UUID

from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from chat.errors import Rejected
from chat.models import AccountDeletion, DataArchive
from chat.own_data import archives, deletion
from chat.own_data.downloading import archive_response
from db.users import signed_in_user
from tools.rights import reauthenticated_page, signed_in


@signed_in
@require_POST
def ask_archive(request: HttpRequest) -> HttpResponse:
    archives.ask(signed_in_user(request))
    return redirect(f"{reverse('settings:index')}#data")


@signed_in
@require_safe
def archive_status(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """The state of an archive, as the settings show it."""
    row = get_object_or_404(DataArchive.objects.for_user(request.user), public_id=public_id)
    return render(request, "own_data/_archive_status.html", {"archive": row})


@signed_in
@require_safe
def archive(request: HttpRequest, public_id: UUID) -> HttpResponseBase:
    """The zip, until it expires."""
    row = get_object_or_404(DataArchive.objects.for_user(request.user), public_id=public_id)
    return archive_response(row)


@reauthenticated_page
@require_http_methods(["GET", "HEAD", "POST"])
def delete_account(request: HttpRequest) -> HttpResponse:
    """What the deletion of the account means; a POST with the user name begins it."""
    user = signed_in_user(request)
    problem = ""
    if request.method == "POST":
        try:
            if request.POST.get("name", "") != user.get_username():
                raise Rejected(_("This is not your user name."))
            row = deletion.ask(user)
            logout(request)
            return redirect("data:receipt", row.public_id)
        except Rejected as error:
            problem = str(error)
    status = 422 if problem else 200
    return render(request, "own_data/delete_account.html", {"problem": problem}, status=status)


@never_cache
@require_safe
def receipt(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """What was deleted of an account: for who has the address. Names nobody."""
    row = get_object_or_404(AccountDeletion, public_id=public_id)
    return render(request, "own_data/receipt.html", {"deletion": row})


@never_cache
@require_safe
def receipt_status(request: HttpRequest, public_id: UUID) -> HttpResponse:
    row = get_object_or_404(AccountDeletion, public_id=public_id)
    return render(request, "own_data/_receipt.html", {"deletion": row})
