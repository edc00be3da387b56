from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from chat.models import Webhook
from db.users import AnyUser
from languages.stored import shown
from limits.webhooks import MAX_WEBHOOK_URL
from tools import guard

EVENTS = [(event.value, event.label) for event in Webhook.Event if event != Webhook.Event.TEST]


class WebhookForm(forms.ModelForm):  # type: ignore[type-arg]  # Django has none
    """`for_everybody` is for admins, and only when a webhook is made."""

    events = forms.MultipleChoiceField(
        label=_("Events"), widget=forms.CheckboxSelectMultiple, choices=EVENTS
    )
    for_everybody = forms.BooleanField(
        label=_("For everybody's events"),
        required=False,
        help_text=_("Never with contents."),
    )

    class Meta:
        model = Webhook
        fields = ("url", "events", "with_content", "enabled")
        labels: ClassVar = {
            "url": _("URL"),
            "with_content": _("With contents"),
            "enabled": _("On"),
        }
        help_texts: ClassVar = {
            "url": _("Gets a POST with JSON, signed as Standard Webhooks says."),
            "with_content": _("Sends titles, answers and errors too, not only ids."),
        }
        widgets: ClassVar = {"url": forms.URLInput(attrs={"dir": "ltr", "autocomplete": "off"})}

    def __init__(self, *args: Any, user: AnyUser, **options: Any) -> None:
        super().__init__(*args, **options)
        if not user.is_superuser or self.instance.pk:
            del self.fields["for_everybody"]
        if self.instance.pk and self.instance.owner_id is None:
            del self.fields["with_content"]
        if not self.instance.pk:
            del self.fields["enabled"]

    def clean_url(self) -> str:
        url = str(self.cleaned_data["url"]).strip()
        if len(url) > MAX_WEBHOOK_URL:
            most = {"most": MAX_WEBHOOK_URL}
            raise ValidationError(_("The URL has more than %(most)s characters.") % most)
        if why := guard.problem(url):
            raise ValidationError(_("Not possible: %(why)s.") % {"why": shown(why)})
        return url
