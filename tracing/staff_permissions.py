"""For migrations: staff keep what they could do before it became permissions of their own."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any


def given_to_staff(
    app_label: str, wanted: Mapping[str, Sequence[tuple[str, str]]]
) -> Callable[[Any, Any], None]:
    """For `RunPython`: gives each staff user permissions, `{model: [(codename, name), …]}`.

    Their rows are made here where they are missing: Django makes them only after all migrations.
    """

    def give(apps: Any, schema_editor: Any) -> None:
        database = schema_editor.connection.alias
        users = apps.get_model("auth", "User").objects.using(database)
        staff = list(users.filter(is_staff=True, is_superuser=False))
        if not staff:
            return
        types = apps.get_model("contenttypes", "ContentType").objects.using(database)
        permissions = apps.get_model("auth", "Permission").objects.using(database)
        for model, rows in wanted.items():
            content_type, _ = types.get_or_create(app_label=app_label, model=model)
            for codename, name in rows:
                permission, _ = permissions.get_or_create(
                    content_type=content_type, codename=codename, defaults={"name": name}
                )
                permission.user_set.add(*staff)

    return give
