"""The ids of `/v1/models`: `assistant/<name>` for the assistants, `<provider>/<model>` for plain
models; of both those that the person may use."""

from collections import Counter
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.utils.text import slugify

from api.openai.errors import not_found
from chat.commands.answerers import model_of_preset, offered_model
from chat.models import LanguageModel, Preset

ASSISTANT = "assistant/"


@dataclass(frozen=True)
class Listed:
    """An assistant, or a model alone; `created` in seconds since 1970."""

    id: str
    created: int
    owner: str
    model: LanguageModel | None = None
    preset: Preset | None = None

    def described(self) -> dict[str, object]:
        return {
            "id": self.id,
            "object": "model",
            "created": self.created,
            "owned_by": self.owner,
        }


def listed(user: User) -> list[Listed]:
    """The assistants first, by name; then the models, the default first."""
    return [*_assistants(user), *_models(user)]


def find(user: User, name: str) -> Listed:
    """The one with this id; a model also by its name alone if no other has it. With its model.
    Raises `OpenAIError`, and `Rejected` for an assistant whose model cannot be used."""
    if name.startswith(ASSISTANT):
        for one in _assistants(user):
            if one.id == name and one.preset is not None:
                model = offered_model(user, model_of_preset(user, one.preset))
                return Listed(one.id, one.created, one.owner, model, one.preset)
    models = _models(user)
    by_name = [one for one in models if one.model is not None and one.model.name == name]
    found = next((one for one in models if one.id == name), None)
    if found is None and len(by_name) == 1:
        found = by_name[0]
    if found is None:
        message = f"The model “{name[:100]}” does not exist, or you may not use it."
        raise not_found(message, "model_not_found", "model")
    return found


def _assistants(user: User) -> list[Listed]:
    """Of several with one name all but the oldest have the beginning of their public id behind
    it."""
    rows = list(Preset.objects.for_user(user).order_by("name", "pk"))
    first: dict[str, int] = {}
    for row in sorted(rows, key=lambda row: row.pk):
        first.setdefault(_slug(row), row.pk)
    return [
        Listed(
            ASSISTANT + (slug if first[slug] == row.pk else f"{slug}-{row.public_id.hex[:8]}"),
            int(row.created.timestamp()),
            "roundtrip" if row.owner_id is None else "you",
            preset=row,
        )
        for row in rows
        for slug in [_slug(row)]
    ]


def _models(user: User) -> list[Listed]:
    rows = LanguageModel.objects.for_user(user)
    listed = [
        Listed(f"{row.provider.slug}/{row.name}", 0, row.provider.name, model=row) for row in rows
    ]
    counts = Counter(one.id for one in listed)
    return [
        one
        if counts[one.id] == 1 or one.model is None
        else Listed(f"{one.id}-{one.model.public_id.hex[:8]}", 0, one.owner, one.model)
        for one in listed
    ]


def _slug(row: Preset) -> str:
    return slugify(row.name, allow_unicode=True) or row.public_id.hex
