from django.apps import AppConfig
from django.db.models.signals import post_migrate

from languages.later import later


class ChatConfig(AppConfig):
    name = "chat"
    verbose_name = later("Chat")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from chat.agent import checks  # noqa: F401  # which registers them
        from chat.search.triggers import install_after_migration

        post_migrate.connect(install_after_migration, sender=self)
