from django.apps import AppConfig
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from languages.later import later
from tools.workspace.limits import problems


class ToolsConfig(AppConfig):
    name = "tools"
    verbose_name = later("Tools")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Says what is wrong with the settings before anything runs."""
        if found := problems(settings.SANDBOX_LIMITS):
            raise ImproperlyConfigured(" ".join(found))
