"""The page in which a preview of HTML or SVG runs.

The page of the chat frames it (`static/js/base/prose/preview.js`); nothing of the code comes to the
server. It is an address of its own because a `srcdoc` frame would inherit the policy of the page
around it, which allows no script and no style of a text.

What holds the code in, always:
- `sandbox`, in the frame and again in the policy of this page: it opens no window, sends no form,
  downloads nothing and leaves the page around it alone.
- The policy: no connection, no file of any host.
- `frame-src` of the page around it: the frame goes to no other site.

Without scripts: no script at all runs in the frame, ours neither. It is of this site, so that the
page around it can fill it with copies of listed elements and attributes (`clean_copy.js`). Neither
a policy nor a sandbox stops the connection that is opened ahead for a refresh, or for a `link` of
the head: so nothing of that kind may get there.

With scripts, if the person says so: the frame has an origin of its own, no cookies, no storage. The
code is posted to it. What would lead elsewhere by itself is taken out, but no policy of browsers
covers WebRTC, nor the connection that is opened ahead for a navigation which is refused then. So a
script may tell a host something by the name that is looked up; see docs/decisions/reading.md.
"""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

# Ready, it asks for the code, becomes it, and listens no more.
_SCRIPT = """
const leads = "link, base, meta[http-equiv], iframe, frame, object, embed";
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) delete globalThis[name];
addEventListener("message", function become(event) {
  if (event.source !== parent) return;
  removeEventListener("message", become);
  const page = new DOMParser().parseFromString(event.data, "text/html");
  for (const one of page.querySelectorAll(leads)) one.remove();
  document.open();
  document.write("<!doctype html>", page.documentElement.outerHTML);
  document.close();
});
parent.postMessage("ready", "*");
"""
_PAGE = """<!doctype html>
<meta charset="utf-8">
<title>Preview</title>
"""
_WITHOUT_SCRIPTS = ("sandbox allow-same-origin", "script-src 'none'")
_WITH_SCRIPTS = ("sandbox allow-scripts", "script-src 'unsafe-inline'")
_RULES = (
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
    runs_scripts = "scripts" in request.GET
    response = HttpResponse(f"{_PAGE}<script>{_SCRIPT}</script>\n" if runs_scripts else _PAGE)
    mode = _WITH_SCRIPTS if runs_scripts else _WITHOUT_SCRIPTS
    response["Content-Security-Policy"] = "; ".join((*mode, *_RULES))
    response["Permissions-Policy"] = ", ".join(f"{name}=()" for name in _DENIED)
    response["Referrer-Policy"] = "no-referrer"
    response["X-DNS-Prefetch-Control"] = "off"
    return response
