from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Sign-in links and the sign-in log. Users are those of django.contrib.auth."""

    name = "config.accounts"
    label = "accounts"
    default_auto_field = "django.db.models.BigAutoField"
