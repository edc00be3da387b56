"""Registering a server: what an admin writes, as a row. Secrets go in and never come out."""

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar
from urllib.parse import urlsplit

from django import forms
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from db.groups import names_of
from languages.later import later
from tools import grants
from tools.grants import GroupsField
from tools.models import TOO_MANY_SERVERS, Policy, Server
from tools.permissions import AnyUser, may_add_programs, may_change_servers
from tools.servers.server_configs import IS_URL
from tools.values.secrets import is_secret

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
# Fields that need the permission for everybody's servers, and for programs.
FOR_EVERYBODY = ("allow_private", "shared", "shared_with", "groups")
# Columns that are filled from fields of another name.
WRITTEN_BY_FORM = ("env", "headers", "headers_url", "marks", "oauth_client_secret")
OF_PROGRAMS = ("command", "args", "cwd", "env_set", "env_remove")
HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+\Z")  # RFC 9110, section 5.6.2


class CommandLineField(forms.CharField):
    """A command line, split into words as a shell does."""

    widget = forms.Textarea(attrs={"rows": 2, "spellcheck": "false"})

    def prepare_value(self, value: Any) -> Any:
        return shlex.join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        try:
            return shlex.split(super().to_python(value))
        except ValueError as error:
            raise ValidationError(
                gettext("This is not a command line: %(error)s.") % {"error": error}
            ) from error


class LinesField(forms.CharField):
    """A list of texts, one per line."""

    widget = forms.Textarea(attrs={"rows": 2, "spellcheck": "false"})

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        lines = (super().to_python(value) or "").splitlines()
        return [line.strip() for line in lines if line.strip()]


class SecretsField(forms.CharField):
    """Names and values to set, one pair per line. Stored values are never shown."""

    widget = forms.Textarea(attrs={"rows": 3, "spellcheck": "false", "autocomplete": "off"})

    def __init__(self, *, separator: str, name: re.Pattern[str], **options: Any) -> None:
        self.separator = separator
        self.name = name
        super().__init__(required=False, **options)

    def to_python(self, value: Any) -> Any:
        lines = (line.strip() for line in (super().to_python(value) or "").splitlines())
        return dict(self._pair(line) for line in lines if line)

    def _pair(self, line: str) -> tuple[str, str]:
        name, separator, value = (part.strip() for part in line.partition(self.separator))
        if not separator or not self.name.match(name):
            # The line may hold a secret: it is not repeated.
            raise ValidationError(
                gettext("Write each line as NAME%(separator)svalue.")
                % {"separator": self.separator}
            )
        return name, value


class PoliciesField(forms.CharField):
    """Patterns of tools and the policy of their calls, one pair per line: `read_* = allow`."""

    widget = forms.Textarea(attrs={"rows": 2, "spellcheck": "false"})

    def prepare_value(self, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        return "\n".join(f"{pattern} = {policy}" for pattern, policy in value)

    def to_python(self, value: Any) -> Any:
        lines = (line.strip() for line in (super().to_python(value) or "").splitlines())
        return [self._pair(line) for line in lines if line]

    def _pair(self, line: str) -> list[str]:
        pattern, _, policy = (part.strip() for part in line.rpartition("="))
        if not pattern or policy.lower() not in Policy.values:
            raise ValidationError(gettext("Write each line as PATTERN = allow, ask or deny."))
        return [pattern, policy.lower()]


class PeopleField(forms.ModelMultipleChoiceField):
    widget = forms.CheckboxSelectMultiple

    def __init__(self, **options: Any) -> None:
        super().__init__(get_user_model()._default_manager.none(), required=False, **options)


def url_problem(url: str) -> str:
    """Why this cannot be the URL of a server; empty if it can."""
    try:
        parts = urlsplit(url)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        fits = False
    return "" if fits else gettext("Write a whole URL that begins with https:// or http://.")


class ServerForm(forms.ModelForm):
    args = CommandLineField(
        label=later("Arguments"),
        required=False,
        help_text=later(
            "As in a shell, with quotes. {workspace} stands for the folder of the "
            "conversation, and gives each conversation its own process."
        ),
    )
    env_set = SecretsField(
        label=later("Environment variables"),
        separator="=",
        name=VARIABLE,
        help_text=later(
            "NAME=value, one per line. Values are stored encrypted and never shown again. "
            "What looks like a key, a token or a password is masked wherever the server repeats it."
        ),
    )
    env_remove = forms.MultipleChoiceField(
        label=later("Stored variables"), required=False, widget=forms.CheckboxSelectMultiple
    )
    headers_set = SecretsField(
        label=later("Headers"),
        separator=":",
        name=HEADER,
        help_text=later(
            "Name: value, one per line. Values are stored encrypted and never shown again. "
            "What looks like a credential is masked wherever the server repeats it."
        ),
    )
    headers_remove = forms.MultipleChoiceField(
        label=later("Stored headers"), required=False, widget=forms.CheckboxSelectMultiple
    )
    masked_too = forms.MultipleChoiceField(
        label=later("Also mask"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=later(
            "Taken for settings. A ticked value is masked in results, traces and logs."
        ),
    )
    masked_not = forms.MultipleChoiceField(
        label=later("Do not mask"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=later("Taken for secrets. A ticked value reaches models, traces and logs."),
    )
    idempotent_tools = LinesField(
        label=later("Tools that may run twice"),
        required=False,
        help_text=later(
            "Names or patterns such as read_*, one per line. Only these are run again "
            "after a crash; for others the outcome is reported as unknown."
        ),
    )

    policies = PoliciesField(
        label=later("Policies of some tools"),
        required=False,
        help_text=later(
            "PATTERN = allow, ask or deny, one per line, such as read_* = allow. The first "
            "matching pattern applies; a tool's own policy comes first."
        ),
    )
    shared_with = PeopleField(label=later("Chosen people"))
    groups = GroupsField(label=later("Chosen groups"))
    oauth_secret = forms.CharField(
        label=later("Client secret"),
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text=later("Stored encrypted and never shown again. Leave empty to keep it."),
    )

    class Meta:
        model = Server
        fields = (
            "name",
            "transport",
            "command",
            "args",
            "cwd",
            "url",
            "allow_private",
            "uses_oauth",
            "oauth_client_id",
            "oauth_scope",
            "shared",
            "shared_with",
            "groups",
            "policy",
            "policies",
            "timeout_s",
            "mode",
            "idempotent_tools",
            "enabled",
        )
        labels: ClassVar = {
            "transport": later("Connection"),
            "cwd": later("Working directory"),
            "url": "URL",
            "timeout_s": later("Timeout (seconds)"),
            "mode": later("Protocol"),
            "enabled": later("Offer its tools in conversations"),
            "allow_private": later("It may be in a private network"),
            "uses_oauth": later("People sign in to it with accounts of their own (OAuth)"),
            "oauth_client_id": later("Client id"),
            "oauth_scope": later("Scope"),
            "shared": later("Who may use it"),
            "policy": later("When a model calls one of its tools"),
        }
        help_texts: ClassVar = {
            "name": later("Tools are called name-tool. Lower-case letters, digits, - and _."),
            "command": later("A program on this machine, for example npx or uvx."),
            "allow_private": later(
                "Addresses such as localhost and 10.0.0.1 are refused otherwise."
            ),
            "oauth_client_id": later(
                "Only if the server's operator gave you one; otherwise Roundtrip registers itself."
            ),
        }

    def __init__(self, *args: Any, user: AnyUser, **options: Any) -> None:
        super().__init__(*args, **options)
        self.user = user
        people = self.fields["shared_with"]
        assert isinstance(people, PeopleField)
        people.queryset = get_user_model()._default_manager.filter(is_active=True)
        is_for_all = self.instance.pk and self.instance.shared == Server.Shared.EVERYONE
        if is_for_all and self.has_groups and self.instance.groups.exists():
            # It was given to groups on another page.
            self.initial["shared"] = Server.Shared.CHOSEN
        for name in ("shared", "policy"):
            self.fields[name].required = False  # missing: it stays unchanged
        for kind in ("env", "headers"):
            stored = getattr(self.instance, kind)
            choice = self.fields[f"{kind}_remove"]
            assert isinstance(choice, forms.MultipleChoiceField)
            choice.choices = [
                (name, gettext("Remove %(name)s") % {"name": name}) for name in sorted(stored)
            ]
            if not stored:
                del self.fields[f"{kind}_remove"]
        self._offer_marks()
        if not may_change_servers(user):
            self._leave_out(FOR_EVERYBODY)
        if not may_add_programs(user):
            self._leave_out(OF_PROGRAMS)
            self._leave_out_stdio()
        self._url_before = self.instance.url or self.instance.headers_url

    @property
    def has_groups(self) -> bool:
        """Whether there is any group to choose."""
        return "groups" in self.fields and Group.objects.exists()

    def clean_url(self) -> str:
        url: str = self.cleaned_data["url"].strip()
        if url and (problem := url_problem(url)):
            raise ValidationError(problem)
        return url

    def clean(self) -> dict[str, Any]:
        fields = super().clean() or self.cleaned_data
        if not fields.get("shared"):
            fields.pop("groups", None)
        elif fields["shared"] != Server.Shared.CHOSEN and "groups" in self.fields:
            fields["groups"] = Group.objects.none()
        is_own = self.instance.pk is None and not may_change_servers(self.user)
        if is_own and not Server.objects.has_room(self.user):
            self.add_error(None, TOO_MANY_SERVERS)
        if fields.get("transport") == Server.Transport.STDIO:
            fields["url"] = ""
            self._need("command", gettext("A stdio server needs a command."))
            if IS_URL.match(fields.get("command") or ""):
                self.add_error(
                    "command",
                    gettext("This is a URL. Choose another connection and enter it there."),
                )
            self._split_command(fields)
        else:
            blank: dict[str, Any] = {"command": "", "args": [], "cwd": ""}
            fields |= {name: value for name, value in blank.items() if name in self.fields}
            self._need("url", gettext("A server over HTTP needs its URL."))
            self._guard_headers(fields)
        return fields

    def candidate(self) -> Server:
        """The server as it would be saved. The form has to be valid."""
        for kind in ("env", "headers"):
            setattr(self.instance, kind, self._secrets(kind, self.cleaned_data))
        self.instance.marks = self._marks(self.cleaned_data)
        if secret := self.cleaned_data.get("oauth_secret"):
            self.instance.oauth_client_secret = secret
        if not may_change_servers(self.user) and self.instance.pk is None:
            self.instance.owner = self.user
        server: Server = self.instance
        server.headers_url = server.url or self._url_before
        return server

    def save(self, commit: bool = True) -> Server:
        self.candidate()
        server: Server = super().save(commit=False)
        if commit:
            before = names_of(server) if server.pk else []
            server.save(update_fields=self._columns() if server.pk else None)
            self.save_m2m()
            if (after := names_of(server)) != before:
                grants.note(self.user, server, before, after)
        return server

    def _columns(self) -> set[str]:
        """What the form may write. The other columns are a worker's, which may have written them
        since the row was read."""
        columns = {field.name for field in Server._meta.concrete_fields}
        return columns & {*self.fields, *WRITTEN_BY_FORM}

    def _leave_out(self, names: Sequence[str]) -> None:
        for name in names:
            self.fields.pop(name, None)

    def _leave_out_stdio(self) -> None:
        transport = self.fields["transport"]
        assert isinstance(transport, forms.ChoiceField)
        choices = Server.Transport.choices
        transport.choices = [pair for pair in choices if pair[0] != Server.Transport.STDIO]
        self.initial["transport"] = (self.instance.url and self.instance.transport) or "http"

    def _offer_marks(self) -> None:
        """Offers to mark stored values as secret or not secret, against what they are taken for."""
        stored = {**self.instance.env, **self.instance.headers}
        secret = {name for name, value in stored.items() if is_secret(name, value)}
        kinds = (("masked_too", stored.keys() - secret, True), ("masked_not", secret, False))
        for field, names, mark in kinds:
            choice = self.fields[field]
            assert isinstance(choice, forms.MultipleChoiceField)
            choice.choices = [(name, name) for name in sorted(names)]
            self.initial[field] = [name for name in names if self.instance.marks.get(name) is mark]
            if not names:
                del self.fields[field]

    def _marks(self, fields: Mapping[str, Any]) -> dict[str, bool]:
        """The marks of stored values."""
        stored = {**self.instance.env, **self.instance.headers}
        marks = dict.fromkeys(fields.get("masked_too") or (), True)
        marks |= dict.fromkeys(fields.get("masked_not") or (), False)
        return {name: mark for name, mark in marks.items() if name in stored}

    def _need(self, name: str, sentence: str) -> None:
        if name not in self.errors and not self.cleaned_data.get(name):
            self.add_error(name, sentence)

    def _split_command(self, fields: dict[str, Any]) -> None:
        """Splits a whole command line that was entered as the command."""
        command = fields.get("command") or ""
        if " " in command and not fields.get("args") and not self.instance.pk:
            try:
                fields["command"], *fields["args"] = shlex.split(command)
            except ValueError as error:
                self.add_error(
                    "command", gettext("This is not a command line: %(error)s.") % {"error": error}
                )

    def _secrets(self, kind: str, fields: Mapping[str, Any]) -> dict[str, str]:
        removed = fields.get(f"{kind}_remove") or ()
        stored = getattr(self.instance, kind)
        remaining = {name: value for name, value in stored.items() if name not in removed}
        return remaining | (fields.get(f"{kind}_set") or {})

    def _guard_headers(self, fields: dict[str, Any]) -> None:
        """Asks for stored headers again if the URL names another host, which must not get them."""
        before, after = urlsplit(self._url_before), urlsplit(fields.get("url") or "")
        moved = (before.scheme, before.netloc) != (after.scheme, after.netloc)
        stored_names = set(self._secrets("headers", fields)) - set(fields.get("headers_set") or ())
        if self._url_before and moved and stored_names:
            names = ", ".join(sorted(stored_names))
            self.add_error(
                "headers_set",
                gettext("The URL has changed: write %(names)s again, or remove it.")
                % {"names": names},
            )
        stored = self._url_before and self.instance.oauth_client_secret
        if stored and moved and not fields.get("oauth_secret"):
            self.add_error("oauth_secret", gettext("The URL has changed: write the secret again."))
