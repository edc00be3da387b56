"""Sign-in providers over real HTTP: `oidc-provider-mock` as a process, and one that lies."""

import base64
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from host.processes import parent_death_signal
from tests import patience
from tests.ports import free_port

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


@contextmanager
def mock_process() -> Iterator[str]:
    """The issuer of a running `oidc-provider-mock`, which refuses requests without a nonce."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "-p", str(port), "-n", "true"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=parent_death_signal(),
    )
    issuer = f"http://127.0.0.1:{port}"
    try:
        _wait_for(issuer, process)
        yield issuer
    finally:
        process.terminate()
        process.wait(patience.SECONDS)


def give_claims(issuer: str, sub: str, **claims: Any) -> None:
    httpx2.put(f"{issuer}/users/{sub}", json=claims).raise_for_status()


def agree(address: str, sub: str, action: str = "accept") -> str:
    """What a person does at the provider: path and query that it sends them back to."""
    response = httpx2.post(address, data={"sub": sub, "action": action})
    assert response.status_code == 302, response.text
    parts = urlsplit(response.headers["location"])
    return f"{parts.path}?{parts.query}"


@dataclass
class Liar:
    """What a provider answers. `claims` are merged into the ID token, `answers` replace the body at
    a path."""

    claims: dict[str, Any] = field(default_factory=dict)
    userinfo: dict[str, Any] = field(default_factory=lambda: {"sub": "ada"})
    answers: dict[str, bytes] = field(default_factory=dict)
    key: Any = KEY
    algorithm: str = "RS256"
    issuer: str = ""
    nonce: str = ""
    asked: dict[str, list[str]] = field(default_factory=dict)

    def body(self, path: str) -> bytes:
        if path in self.answers:
            return self.answers[path]
        return json.dumps(self._value(path)).encode()

    def _value(self, path: str) -> dict[str, Any]:
        if path == "/.well-known/openid-configuration":
            names = ("authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint")
            return {"issuer": self.issuer, **{one: f"{self.issuer}/{one}" for one in names}}
        if path == "/jwks_uri":
            public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key()))
            return {"keys": [{**public, "kid": "one", "alg": "RS256", "use": "sig"}]}
        if path == "/token_endpoint":
            return {"access_token": "x", "token_type": "Bearer", "id_token": self._token()}
        return self.userinfo

    def _token(self) -> str:
        now = int(time.time())
        claims: dict[str, Any] = {
            "iss": self.issuer,
            "aud": "roundtrip",
            "sub": "ada",
            "nonce": self.nonce,
        }
        claims |= {"iat": now, "exp": now + 60, **self.claims}
        if self.algorithm == "none":
            parts = ({"alg": "none", "kid": "one"}, claims)
            encoded = (base64.urlsafe_b64encode(json.dumps(one).encode()) for one in parts)
            return b".".join(one.rstrip(b"=") for one in encoded).decode() + "."
        return jwt.encode(claims, self.key, algorithm=self.algorithm, headers={"kid": "one"})


@contextmanager
def liar() -> Iterator[Liar]:
    told = Liar()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = told.body(urlsplit(self.path).path)
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            told.asked = parse_qs(self.rfile.read(length).decode())
            self.do_GET()

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    told.issuer = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield told
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _wait_for(issuer: str, process: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + patience.SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            httpx2.get(f"{issuer}/.well-known/openid-configuration").raise_for_status()
            return
        except httpx2.HTTPError:
            time.sleep(0.05)
    raise AssertionError("oidc-provider-mock did not start")
