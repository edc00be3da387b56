"""The page in which a preview of HTML or SVG runs.

The page of the chat frames it (`static/js/base/prose/preview.js`) and posts the code to it; nothing
of the code comes to the server. It is an address of its own because a `srcdoc` frame would inherit
the policy of the page around it, which allows no script and no style of a text.

What holds the code in:
- `sandbox` without `allow-same-origin`, in the frame and again in the policy of this page: it has
  an origin of its own, no cookies, no storage; it opens no window, sends no form, downloads nothing
  and leaves the page around it alone.
- The policy: no connection, no file of any host.
- `frame-src` of the page around it: the frame goes to no other site.
"""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

_POLICY = "; ".join(
    [
        "sandbox allow-scripts",
        "default-src 'none'",
        "script-src 'unsafe-inline'",
        "style-src 'unsafe-inline'",
        "img-src data:",
        "media-src data:",
        "font-src data:",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'self'",
        "webrtc 'block'",
    ]
)
_DENIED = ("camera", "microphone", "geolocation", "display-capture", "clipboard-write", "usb")
# Ready, it asks for the code, becomes it, and listens no more.
_PAGE = """<!doctype html>
<meta charset="utf-8">
<title>Preview</title>
<script>
  addEventListener("message", function become(event) {
    if (event.source !== parent) return;
    removeEventListener("message", become);
    document.open();
    document.write(event.data);
    document.close();
  });
  parent.postMessage("ready", "*");
</script>
"""


@require_safe
@xframe_options_exempt
@cache_control(private=True, max_age=3600)
def preview(_: HttpRequest) -> HttpResponse:
    response = HttpResponse(_PAGE)
    response["Content-Security-Policy"] = _POLICY
    response["Permissions-Policy"] = ", ".join(f"{name}=()" for name in _DENIED)
    response["Referrer-Policy"] = "no-referrer"
    response["X-DNS-Prefetch-Control"] = "off"
    return response
