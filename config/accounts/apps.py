from django.apps import AppConfig

from languages.later import later


class AccountsConfig(AppConfig):
    """Sign-in links and the sign-in log. Users are those of django.contrib.auth."""

    name = "config.accounts"
    label = "accounts"
    verbose_name = later("Accounts")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # allauth tells of these by its signals alone.
        from allauth.mfa.signals import authentication_failed, authenticator_added
        from allauth.socialaccount.signals import social_account_added

        from config.accounts.mfa import recorded
        from config.accounts.oidc.adapter import record_link

        authentication_failed.connect(recorded.failed)
        authenticator_added.connect(recorded.added)
        social_account_added.connect(record_link)
