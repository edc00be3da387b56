"""The site as an app that browsers install: its manifest, and the page that it shows offline.

The service worker (`static/js/service_worker.js`) keeps that page and its two files, and nothing
else: no conversation, and no answer of any address. It is served at the root, so that it may answer
for all pages; its text changes with the version of the static files and with the reader's language,
which is how browsers notice that there is a newer one.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import get_language, gettext
from django.views.decorators.http import require_safe

from languages.template_tags import LANGUAGE_TAGS

NAME = "Roundtrip"
# As `--neutral-0` of static/css/base/tokens.css.
LIGHT, DARK = "#ffffff", "#17181b"


@require_safe
def manifest(request: HttpRequest) -> JsonResponse:
    """https://www.w3.org/TR/appmanifest/, in the reader's language."""
    return JsonResponse(
        {
            "id": "/",
            "name": NAME,
            "short_name": NAME,
            "description": gettext(
                "Chat with models and tools, and see what each answer is made of."
            ),
            "lang": LANGUAGE_TAGS.get(str(get_language()), "en"),
            "dir": "ltr",
            "start_url": reverse("chat:home"),
            "scope": "/",
            "display": "standalone",
            "background_color": LIGHT,
            "theme_color": LIGHT,
            "icons": [
                _icon("icon-192.png", 192),
                _icon("icon-512.png", 512),
                _icon("maskable-512.png", 512, purpose="maskable"),
            ],
            "shortcuts": [
                {
                    "name": gettext("New conversation"),
                    "url": reverse("chat:home"),
                    "icons": [_icon("new-96.png", 96)],
                },
                {"name": gettext("All conversations"), "url": reverse("chat:search")},
            ],
        },
        content_type="application/manifest+json",
        json_dumps_params={"ensure_ascii": False},
    )


@require_safe
def service_worker(request: HttpRequest) -> HttpResponse:
    shell = {
        "version": f"{settings.STATIC_URL} {get_language()}",
        "page": reverse("offline"),
        "files": [static("css/offline.css"), static("js/offline.js")],
    }
    text = f"const SHELL = {json.dumps(shell)};\n{_worker()}"
    return HttpResponse(text, content_type="text/javascript; charset=utf-8")


@require_safe
def offline(request: HttpRequest) -> HttpResponse:
    """What the service worker shows in place of a page that cannot be loaded. It has nothing of
    any person."""
    return render(request, "app/offline.html")


def _icon(name: str, side: int, purpose: str = "any") -> dict[str, Any]:
    return {
        "src": static(f"app/{name}"),
        "sizes": f"{side}x{side}",
        "type": "image/png",
        "purpose": purpose,
    }


@cache
def _worker() -> str:
    return Path(settings.BASE_DIR, "static/js/service_worker.js").read_text(encoding="utf-8")
