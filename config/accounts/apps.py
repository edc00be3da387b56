from django.apps import AppConfig

from languages.later import later


class AccountsConfig(AppConfig):
    """Sign-in links and the sign-in log. Users are those of django.contrib.auth."""

    name = "config.accounts"
    label = "accounts"
    verbose_name = later("Accounts")
    default_auto_field = "django.db.models.BigAutoField"
