"""The page in which a preview of HTML or SVG runs.

The page of the chat frames it (`static/js/base/prose/preview.js`) and posts the code to it; nothing
of the code comes to the server. It is an address of its own because a `srcdoc` frame would inherit
the policy of the page around it, which allows no script and no style of a text.

What holds the code in:
- `sandbox` without `allow-same-origin`, in the frame and again in the policy of this page: it has
  an origin of its own, no cookies, no storage; it opens no window, sends no form, downloads nothing
  and leaves the page around it alone.
- The policy: no connection, no file of any host, and no script but ours.
- What would lead elsewhere by itself (frames, refreshes, links of the head) is taken out.
- `frame-src` of the page around it: the frame goes to no other site.

Its scripts run only if the person says so: no policy of browsers covers WebRTC, nor the connection
that is opened ahead for a navigation which is refused then. So a script may tell a host something
by the name that is looked up; see docs/decisions/reading.md.
"""

import base64
import hashlib

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

# Ready, it asks for the code, becomes it, and listens no more.
_SCRIPT = """
const runsScripts = location.search === "?scripts";
const leads = "link, base, meta[http-equiv], iframe, frame, object, embed";
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) delete globalThis[name];
addEventListener("message", function become(event) {
  if (event.source !== parent) return;
  removeEventListener("message", become);
  const page = new DOMParser().parseFromString(event.data, "text/html");
  for (const one of page.querySelectorAll(runsScripts ? leads : `${leads}, template`)) one.remove();
  document.open();
  document.write("<!doctype html>", page.documentElement.outerHTML);
  document.close();
});
parent.postMessage("ready", "*");
"""
_PAGE = f"""<!doctype html>
<meta charset="utf-8">
<title>Preview</title>
<script>{_SCRIPT}</script>
"""
_OURS = f"'sha256-{base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()}'"
_RULES = (
    "sandbox allow-scripts",
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    "img-src data:",
    "media-src data:",
    "font-src data:",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
)
_DENIED = ("camera", "microphone", "geolocation", "display-capture", "clipboard-write", "usb")


@require_safe
@xframe_options_exempt
@cache_control(private=True, max_age=3600)
def preview(request: HttpRequest) -> HttpResponse:
    """The page; with `?scripts` one in which scripts of the code run."""
    scripts = "'unsafe-inline'" if "scripts" in request.GET else _OURS
    response = HttpResponse(_PAGE)
    response["Content-Security-Policy"] = "; ".join((*_RULES, f"script-src {scripts}"))
    response["Permissions-Policy"] = ", ".join(f"{name}=()" for name in _DENIED)
    response["Referrer-Policy"] = "no-referrer"
    response["X-DNS-Prefetch-Control"] = "off"
    return response
