"""The form of a prompt template."""

from typing import Any, ClassVar

from django import forms
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from chat import storage
from chat.errors import Rejected
from chat.models import PromptTemplate
from limits.chat import MAX_PROMPT_TEMPLATE

NAME_TAKEN = _("A prompt with this name already exists. Choose another name.")


class PromptTemplateForm(forms.ModelForm):
    class Meta:
        model = PromptTemplate
        fields = ("name", "description", "text")
        labels: ClassVar = {
            "name": _("Name"),
            "description": _("Description"),
            "text": _("Text"),
        }
        help_texts: ClassVar = {
            "name": _("Typed after / in a message."),
            "description": _("What it is for, in one sentence."),
            "text": _(
                "{{name}} is a variable that is asked for, {{name = default}} has a default, "
                "{{name: lines}} takes several lines."
            ),
        }
        widgets: ClassVar = {
            "description": forms.Textarea(attrs={"rows": 2}),
            "text": forms.Textarea(attrs={"rows": 12}),
            "name": forms.TextInput(attrs={"dir": "auto", "autocomplete": "off"}),
        }

    def __init__(self, *args: Any, user: User, **options: Any) -> None:
        super().__init__(*args, **options)
        self.user = user
        if self.instance.pk is None:
            self.instance.owner = user

    def clean_name(self) -> str:
        name = clean_name(self.cleaned_data["name"])
        same = PromptTemplate.objects.filter(owner=self.instance.owner_id, name=name)
        if same.exclude(pk=self.instance.pk).exists():
            raise ValidationError(NAME_TAKEN)
        return name

    def clean_text(self) -> str:
        text: str = self.cleaned_data["text"].replace("\r\n", "\n")
        if len(text) > MAX_PROMPT_TEMPLATE:
            sentence = gettext("It has %(count)s characters; the limit is %(most)s.")
            counts = {"count": f"{len(text):,}", "most": f"{MAX_PROMPT_TEMPLATE:,}"}
            raise ValidationError(sentence % counts)
        try:
            storage.check_upload(self.user.pk, len(text))
        except Rejected as error:
            raise ValidationError(str(error)) from None
        return text


def clean_name(name: str) -> str:
    """On one line, without a `/` in front, which people type to insert it."""
    return " ".join(name.split()).lstrip("/").strip()
