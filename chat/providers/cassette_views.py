"""The page on which an admin uploads a cassette, which becomes a provider."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from audit.models import Action
from audit.recording import record
from chat import storage
from chat.cassettes import builtin
from chat.errors import BrokenCassette, Rejected
from chat.permissions import CHANGE_PROVIDER
from db.users import signed_in_user
from languages.later import later
from limits.replay import MAX_CASSETTE_NAME
from tools.rights import requires
from tracing.formatting.figures import size


class CassetteForm(forms.Form):
    file = forms.FileField(
        label=later("File"),
        widget=forms.FileInput(attrs={"accept": ".json,application/json"}),
    )
    name = forms.CharField(
        label=later("Name"),
        required=False,
        max_length=MAX_CASSETTE_NAME,
        help_text=later("Blank: the one that the cassette has."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    def __init__(self, *args: Any, user: User, **options: Any) -> None:
        super().__init__(*args, **options)
        self.user = user

    def clean_file(self) -> "UploadedFile[bytes]":
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        if (file.size or 0) > settings.CASSETTE_BYTES:
            most = size(settings.CASSETTE_BYTES)
            raise forms.ValidationError(
                gettext("This is more than %(most)s, the most that a cassette has.")
                % {"most": most}
            )
        try:
            storage.check_upload(self.user.pk, file.size or 0)
        except Rejected as error:
            raise forms.ValidationError(str(error)) from None
        return file


@requires(CHANGE_PROVIDER)
@require_http_methods(["GET", "HEAD", "POST"])
def create(request: HttpRequest) -> HttpResponse:
    form = CassetteForm(request.POST or None, request.FILES or None, user=signed_in_user(request))
    if request.method == "POST" and form.is_valid():
        cleaned = form.cleaned_data
        try:
            provider = builtin.add(cleaned["file"].read(), cleaned["name"], form.user)
        except BrokenCassette as error:
            form.add_error("file", str(error))
        except Rejected as error:
            form.add_error("name", str(error))
        else:
            record(Action.ADDED, request.user, provider)
            messages.success(
                request, gettext("%(name)s now answers as recorded.") % {"name": provider.name}
            )
            return redirect(provider)
    status = 422 if request.method == "POST" else 200
    return render(request, "providers/cassette.html", {"form": form}, status=status)
