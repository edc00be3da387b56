from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path

from config.accounts.language import choose
from config.health import health
from config.web_app import manifest, offline, service_worker
from tracing.stats.prometheus.views import metrics

# allauth's sign-in page in place of the admin's, which has no rate limits.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

urlpatterns = [
    path("health", health, name="health"),
    path("metrics", metrics, name="metrics"),
    path("app.webmanifest", manifest, name="manifest"),
    path("service-worker.js", service_worker, name="service_worker"),
    path("offline/", offline, name="offline"),
    path("accounts/", include("config.accounts.urls")),
    path("admin/", admin.site.urls),
    path("api/", include("api.rest.urls")),
    path("assistants/", include("chat.presets.urls")),
    path("audit/", include("chat.audit_pages.urls")),
    path("cassettes/", include("chat.cassettes.urls")),
    path("language/", choose, name="set_language"),
    path("oauth/", include("tools.accounts.urls")),
    path("data/", include("chat.own_data.urls")),
    path("people/", include("config.accounts.people.urls")),
    path("playground/", include("chat.playground.urls")),
    path("projects/", include("chat.projects.urls")),
    path("prompts/", include("chat.prompts.urls")),
    path("providers/", include("chat.providers.urls")),
    path("servers/", include("tools.urls")),
    path("settings/", include("chat.personal.urls")),
    path("settings/webhooks/", include("chat.webhooks.urls")),
    path("shared/", include("chat.sharing.urls")),
    path("skills/", include("chat.skills.urls")),
    path("traces/", include("tracing.urls")),
    path("traces/", include("chat.trace_views.code.urls")),
    path("traces/", include("chat.trace_views.fork_urls")),
    path("traces/", include("chat.trace_views.prompt.urls")),
    path("transfer/", include("chat.transfer.urls")),
    path("usage/", include("chat.quota_pages.urls")),
    path("v1/", include("api.openai.urls")),
    path("", include("api.oauth.urls")),
    path("", include("chat.urls")),
]
