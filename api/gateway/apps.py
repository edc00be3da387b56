from django.apps import AppConfig

from languages.later import later


class GatewayConfig(AppConfig):
    name = "api.gateway"
    label = "gateway"
    verbose_name = later("Gateway")
    default_auto_field = "django.db.models.BigAutoField"
