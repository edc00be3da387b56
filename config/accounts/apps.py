from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Signing in. People themselves are Django's users."""

    name = "config.accounts"
    label = "accounts"
    default_auto_field = "django.db.models.BigAutoField"
