"""The sections that are forms of columns of `PersonalSettings`, each saved alone."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from chat.models import PersonalSettings, Preset
from chat.personal import time_zones
from limits.chat import MAX_PERSONAL_INSTRUCTIONS


class PersonalForm(forms.ModelForm):
    """Shows and sets some columns of a person's row, and leaves the others as they are."""

    def keep(self) -> None:
        columns = {name: self.cleaned_data[name] for name in self.fields}
        PersonalSettings.change(self.instance.user, **columns)


class AppearanceForm(PersonalForm):
    theme = forms.ChoiceField(
        label=_("Theme"),
        choices=PersonalSettings.Theme.choices,
        required=False,
        widget=forms.RadioSelect,
        help_text=_("System follows the setting of your device."),
    )
    density = forms.ChoiceField(
        label=_("Density"),
        choices=PersonalSettings.Density.choices,
        widget=forms.RadioSelect,
        help_text=_("Compact shows more on a screen."),
    )

    class Meta:
        model = PersonalSettings
        fields = ("theme", "density")


class GeneralForm(PersonalForm):
    sending_key = forms.ChoiceField(
        label=_("Key that sends a message"),
        choices=PersonalSettings.SendingKey.choices,
        widget=forms.RadioSelect,
        help_text=_("With Enter, Shift+Enter begins a new line."),
    )
    time_zone = forms.ChoiceField(
        label=_("Time zone"),
        required=False,
        choices=time_zones.choices,
        help_text=_("Dates, and the time that models are told, are in this zone."),
    )
    notifications = forms.BooleanField(
        label=_("Notify me when an answer is done or waits for me"),
        required=False,
        widget=forms.CheckboxInput(attrs={"data-notifications": ""}),
        help_text=_("Only while the page is hidden. The browser asks you to allow it."),
    )

    class Meta:
        model = PersonalSettings
        fields = ("sending_key", "time_zone", "notifications")


class ChatsForm(PersonalForm):
    preset = forms.ModelChoiceField(
        Preset.objects.none(),
        label=_("Default assistant"),
        required=False,
        empty_label=_("The assistant of the default model"),
        help_text=_("New conversations begin with it."),
    )
    instructions = forms.CharField(
        label=_("Custom instructions"),
        required=False,
        max_length=MAX_PERSONAL_INSTRUCTIONS,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text=_(
            "What every assistant should know about you, and how it should answer. It is sent with "
            "each request, after the system prompt."
        ),
    )
    has_titles = forms.BooleanField(
        label=_("Let the model name new conversations"),
        required=False,
        help_text=_("After the first answer, by a small request of its own."),
    )
    searches_all_files = forms.BooleanField(
        label=_("Let models search all your files"),
        required=False,
        help_text=_(
            "In any conversation, by the tool search_files. Otherwise they search the files of the "
            "conversation and of its project only."
        ),
    )

    class Meta:
        model = PersonalSettings
        fields = ("preset", "instructions", "has_titles", "searches_all_files")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        field = self.fields["preset"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = Preset.objects.for_user(self.instance.user)
