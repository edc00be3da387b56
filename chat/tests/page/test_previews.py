"""Previews of code run, and reach neither the page around them nor any host."""

import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import FrameLocator, Locator, Page, expect

from chat.tests.builders import AConversation

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("wire")]


class Listener:
    """A host that notes what it is sent."""

    def __init__(self) -> None:
        self.received, self.connections = b"", 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            connection.settimeout(0.2)
            with connection, suppress(TimeoutError):
                self.received += connection.recv(100)

    def close(self) -> None:
        with suppress(OSError):  # a second time
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(5)


Hosts = Callable[[Iterable[str]], dict[str, Listener]]


@pytest.fixture
def hosts() -> Iterator[Hosts]:
    """Makes a host for each name."""
    with ExitStack() as stack:

        def listen(names: Iterable[str]) -> dict[str, Listener]:
            listeners = {name: Listener() for name in names}
            for listener in listeners.values():
                stack.callback(listener.close)
            return listeners

        yield listen


@pytest.fixture
def reports_violations() -> bool:
    """What these previews try, the policy refuses."""
    return False


# The page notes the names of the previews that say that they try: before, since some then leave.
TRIES = "<script>parent.postMessage('tries NAME', '*')</script>"
NOTE_TRIES = """() => {
  window.tries = new Set();
  addEventListener("message", ({ data }) => /^tries /.test(data) && window.tries.add(data));
}"""


def _previews(
    page: Page, owner: User, *codes: str, language: str = "html", runs_scripts: bool = False
) -> list[FrameLocator]:
    """All in one answer, since a page takes a second."""
    conversation = AConversation(owner, "Preview")
    blocks = (f"```{language}\n{code}\n```\n" for code in codes)
    conversation.turn("Preview").round("\n".join(blocks))
    page.goto(conversation.url)
    page.evaluate(NOTE_TRIES)
    places = page.locator("figure.code")
    return [_shown(places.nth(number), runs_scripts) for number in range(len(codes))]


def _shown(place: Locator, runs_scripts: bool) -> FrameLocator:
    place.get_by_role("button", name="Preview", exact=True).click()
    if runs_scripts:
        place.get_by_role("button", name="Run its scripts").click()
    return place.frame_locator(".preview iframe")


HTML = (
    "<style>p{color:rgb(1, 2, 3)}</style><p>a</p>"
    "<script>document.querySelector('p').textContent = 'ran'</script>"
)


def test_html_has_its_styles_and_runs_its_scripts_only_when_told(page: Page, owner: User) -> None:
    (frame,) = _previews(page, owner, HTML)
    expect(frame.locator("p")).to_have_css("color", "rgb(1, 2, 3)")
    expect(frame.locator("p")).to_have_text("a")
    page.get_by_role("button", name="Run its scripts").click()
    expect(frame.locator("p")).to_have_text("ran")
    page.get_by_role("button", name="Preview", exact=True).click()
    expect(page.locator(".preview")).to_have_count(0)


def test_svg_is_drawn(page: Page, owner: User) -> None:
    circle = '<svg viewBox="0 0 9 9"><circle cx="4" cy="4" r="3"/></svg>'
    (frame,) = _previews(page, owner, circle, language="svg")
    expect(frame.locator("circle")).to_be_visible()


RICH = """<html lang=en><head><title>t</title><style>.dark{color:rgb(4, 5, 6)}
my-card{display:block;width:77px}</style></head><body class=dark style="margin:3px"><h1>Title</h1>
<noscript><i>without scripts</i></noscript><my-card>card</my-card><a href="#end">down</a>
<img alt=dot src="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='5'/%3E">
<table><tr><td colspan=2>cell</table><input type=checkbox checked><math><mfrac><mn>1</mn><mn>2</mn>
</mfrac></math><svg viewBox="0 0 9 9" width=90><defs><linearGradient id=g><stop offset=1
stop-color=red /></linearGradient></defs><rect width=9 height=9 fill="url(#g)"><animate
attributeName=width from=1 to=9 dur=1s /></rect></svg><p id=end>end</p></body></html>"""


def test_a_preview_without_scripts_looks_as_it_should(page: Page, owner: User) -> None:
    (frame,) = _previews(page, owner, RICH)
    expect(frame.locator("h1")).to_have_css("color", "rgb(4, 5, 6)")
    expect(frame.locator("body")).to_have_css("margin", "3px")
    expect(frame.locator("i")).to_be_visible()
    expect(frame.locator("my-card")).to_have_css("width", "77px")
    expect(frame.locator("img")).to_have_js_property("naturalWidth", 5)
    expect(frame.locator("td")).to_have_attribute("colspan", "2")
    expect(frame.locator("mfrac > mn")).to_have_count(2)
    expect(frame.locator("rect")).to_have_attribute("fill", "url(#g)")
    expect(frame.locator("linearGradient > stop, rect > animate")).to_have_count(2)
    frame.locator("a").click()
    expect(frame.locator("#end")).to_be_in_viewport()


# What a hostile preview tries with the page around it; each gives "no" if it is refused.
REACHING_OUT = {
    "parent": "parent.document.title",
    "top": "top.location.href",
    "cookies": "document.cookie",
    "storage": "localStorage.length",
    "frame element": "frameElement.id",
    "opened window": "window.open('about:blank').document",
    "top navigation": "top.location = 'about:blank'",
    "database": "indexedDB.open('x')",
}


def test_a_preview_reaches_nothing_of_the_page(page: Page, owner: User) -> None:
    script = (
        "let answer = 'no'; try {{ const value = {}; if (value) answer = 'reached' }} "
        "catch (error) {{}} document.body.textContent = answer"
    )
    codes = [f"<body><script>{script.format(reach)}</script>" for reach in REACHING_OUT.values()]
    frames = _previews(page, owner, *codes, runs_scripts=True)
    for name, frame in zip(REACHING_OUT, frames, strict=True):
        expect(frame.locator("body"), name).to_have_text("no")
    assert "/c/" in page.url


# What needs no script to reach a host, or becomes one; `RUN` is a script that tells that it runs.
# Some are read as another tree by a second parser.
REFRESH = "<meta http-equiv=refresh content='0;url=URL'>"
QUIET = {
    "style in noscript": f"<noscript><style></noscript>{REFRESH}</style></noscript>",
    "comment in noscript": f"<noscript><!--</noscript>{REFRESH}--></noscript>",
    "attribute in noscript": f'<noscript><p title="</noscript>{REFRESH}"></noscript>',
    "preconnect in noscript": (
        "<noscript><style></noscript><link rel=preconnect href='URL'><link rel=dns-prefetch "
        "href='URL'><script>RUN</script></style></noscript>"
    ),
    "style in mathml": (
        f"<form><math><mtext></form><form><mglyph><style></math>{REFRESH}<img src onerror=RUN>"
    ),
    "style in svg": f"<svg></p><style><a id='</style>{REFRESH}<img src onerror=RUN>'>",
    "textarea in svg": f"<svg><desc><textarea><p title='</textarea>{REFRESH}'>",
    "annotation": (
        "<math><annotation-xml encoding='text/html'><style><!--</style>"
        f"<p title='-->{REFRESH}'></annotation-xml></math>"
    ),
    "xmp": f"<xmp></xmp><noembed><p title='</noembed>{REFRESH}'></noembed><plaintext>{REFRESH}",
    "nested table": f"<table><style></table>{REFRESH}</style><tr><td>{REFRESH}",
    "refresh in template": f"<template>{REFRESH}<link rel=preconnect href='URL'></template>",
    "shadow root": (
        "<div><template shadowrootmode=open><img src='URL/x.png' onerror=RUN>"
        f"{REFRESH}<link rel=preconnect href='URL'></template></div>"
    ),
    "frame of text": '<iframe srcdoc="<meta http-equiv=refresh content=0;url=URL>"></iframe>',
    "frame of data": f'<iframe src="data:text/html,{REFRESH}"></iframe>',
    "clobbered form": (
        "<form onfocus=RUN tabindex=0 autofocus><input name=attributes><input name=childNodes>"
        "<input name=getAttribute onfocus=RUN autofocus></form>"
    ),
    "foreign refresh": f"<svg><foreignObject>{REFRESH}<base href='URL'></foreignObject></svg>",
    "animated address": (
        "<svg><a><animate attributeName=href values='javascript:RUN' begin=0s dur=1s />"
        "<set attributeName=href to='URL' begin=0s /><text y=9>x</text></a><image>"
        "<set attributeName=href to='URL/x.png' begin=0s /></image><use><set attributeName="
        "'xlink:href' to='URL/x.svg#a' /></use><set attributeName=onbegin to=RUN /></svg>"
    ),
    "svg handlers": "<svg onload=RUN><animate onbegin=RUN attributeName=x dur=1s /></svg>",
    "svg script": "<svg><script>RUN</script><script href='URL/x.js'></script></svg>",
    "details": "<details open ontoggle=RUN><summary>x</summary></details>",
    "styles": (
        "<style>@import 'URL/a.css'; @font-face{font-family:f;src:url(URL/f)} p{font-family:f;"
        "background:image-set('URL/b.png' 1x);cursor:url(URL/c.cur),auto;content:url(URL/d.png);"
        "border-image:url(URL/e.png) 1;mask:url(URL/m.svg#m);filter:url(URL/g.svg#g)}</style>"
        "<p style='background:url(URL/h.png);list-style:url(URL/i.png)'>x</p>"
    ),
    "paint": "<svg><rect width=9 height=9 fill='url(URL/x#a)' filter='url(URL/y#b)'/></svg>",
    "media": (
        "<video poster='URL/a.png' src='URL/b.mp4' autoplay muted></video><audio src='URL/c.mp3' "
        "autoplay></audio><video autoplay muted><source src='URL/d.mp4'><track default src='URL/e'>"
        "</video><picture><source srcset='URL/f.png'><img srcset='URL/g.png 1x'></picture>"
        "<input type=image src='URL/h.png'><body background='URL/i.png'><table background='URL/j'>"
    ),
    "head": (
        "<link rel=preconnect href='URL'><link rel=dns-prefetch href='URL'><link rel=modulepreload "
        "href='URL/x.js'><link rel=icon href='URL/x.ico'><link rel=prerender href='URL'>"
    ),
    "policy": '<meta http-equiv="Content-Security-Policy" content="report-uri URL">',
    "manifest": "<html manifest='URL/x'><link rel=manifest href='URL/y'>",
    "old": "<applet archive='URL/a'></applet><img lowsrc='URL/b'><bgsound src='URL'>",
    "handler": "<img src=x onerror=\"location='URL'\">",
    "script address": "<a href='javascript:location=`URL`' id='a'>x</a>",
    "template": "<div><template shadowrootmode='open'><iframe src='URL'></iframe></template></div>",
    "frame set": "</body><frameset><frame src='URL'></frameset>",
    "svg": "<svg><image href='URL/x.png'/><use href='URL/x.svg#a'/></svg>",
    "mathml": "<math href='URL'><mi>x</mi></math>",
    "portal": "<portal src='URL'></portal><fencedframe></fencedframe>",
}


def test_a_preview_without_scripts_does_not_even_connect(
    page: Page, owner: User, hosts: Hosts
) -> None:
    quiet = QUIET | {name: code for name, code in REQUESTS.items() if "<script" not in code}
    listeners = hosts(quiet)
    codes = (_trying(quiet[name], one, name) for name, one in listeners.items())
    frames = _previews(page, owner, *codes)
    for name, frame in zip(quiet, frames, strict=True):
        expect(frame.locator("p").first, name).to_have_text("tried")
    _wait_for_requests(page, listeners)
    assert [name for name, listener in listeners.items() if listener.connections] == []
    assert page.evaluate("[...window.tries]") == []
    assert "/c/" in page.url


def _trying(markup: str, listener: Listener, name: str = "") -> str:
    told = f"top.postMessage(`tries {name}`,`*`)".replace(" ", r"\x20")
    code = markup.replace("URL", f"http://127.0.0.1:{listener.port}").replace("RUN", told)
    return f"<!doctype html><body><p>tried</p>{code}"


def _wait_for_requests(page: Page, listeners: dict[str, Listener]) -> None:
    """What is tried comes within milliseconds, or not at all."""
    page.wait_for_timeout(300)
    for listener in listeners.values():
        listener.close()


# What it may try to reach a host; `URL` is the host's address.
REQUESTS = {
    "fetch": "<script>fetch('URL').catch(() => 0)</script>",
    "request": "<script>r = new XMLHttpRequest(); r.open('GET', 'URL'); r.send()</script>",
    "beacon": "<script>navigator.sendBeacon('URL', 'x')</script>",
    "socket": "<script>try { new WebSocket('URL'.replace('http', 'ws')) } catch (e) {}</script>",
    "events": "<script>try { new EventSource('URL') } catch (e) {}</script>",
    "image": "<img src='URL/x.png'>",
    "script": "<script src='URL/x.js'></script>",
    "style": "<link rel='stylesheet' href='URL/x.css'>",
    "background": "<style>body{background:url(URL/x.png)}</style>",
    "import": "<style>@import url(URL/x.css)</style>",
    "font": "<style>@font-face{font-family:x;src:url(URL/x)}body{font-family:x}</style>text",
    "frame": "<iframe src='URL'></iframe>",
    "object": "<object data='URL'></object><embed src='URL'>",
    "video": "<video src='URL/x.mp4' autoplay></video>",
    "form": "<form action='URL' method='post'></form><script>document.forms[0].submit()</script>",
    "refresh": "<meta http-equiv='refresh' content='0;url=URL'>",
    "navigation": "<script>location = 'URL/?secret'</script>",
    "link": "<a href='URL' id='a'>x</a><script>a.click()</script>",
    "new tab": "<a href='URL' target='_blank' id='a'>x</a><script>a.click()</script>",
    "prefetch": "<link rel='prefetch' href='URL'><link rel='preload' as='image' href='URL'>",
    "base": "<base href='URL'><img src='x.png'>",
    "worker": "<script>try { new Worker('URL/x.js') } catch (e) {}</script>",
    "module": "<script type='module'>import('URL/x.js').catch(() => 0)</script>",
    "ping": "<a href='#' ping='URL' id='a'>x</a><script>a.click()</script>",
    "preconnect": "<link rel='preconnect' href='URL'><link rel='dns-prefetch' href='URL'>",
    "speculation": '<script type="speculationrules">{"prefetch":[{"urls":["URL"]}]}</script>',
}


def test_a_script_of_a_preview_reaches_no_host(page: Page, owner: User, hosts: Hosts) -> None:
    scripts = {
        name: TRIES.replace("NAME", name) + code
        for name, code in REQUESTS.items()
        if "<script" in code
    }
    listeners = hosts(scripts)
    codes = (_trying(scripts[name], one) for name, one in listeners.items())
    _previews(page, owner, *codes, runs_scripts=True)
    page.wait_for_function("count => window.tries.size === count", arg=len(scripts))
    _wait_for_requests(page, listeners)
    assert {name: one.received for name, one in listeners.items() if one.received} == {}
    assert "/c/" in page.url
