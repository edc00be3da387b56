"""How to reach one MCP server: a value, so that equal configurations can share a session."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from languages.stored import stored
from tools.errors import ConnectionFailed, FailureKind
from tools.values.secrets import argument_texts, masked_texts

if TYPE_CHECKING:
    import httpx2

WORKSPACE = "{workspace}"
NO_ACCOUNT = stored("the person has to connect their account to this server first")


@dataclass(frozen=True)
class ServerConfig:
    """A registered server without its row. `env` and `headers` hold secrets: never printed.

    `mode` and `era` say how to open a session: `era` is what the server spoke last time (`legacy`
    or `modern`), so that an old server is not probed again. `allow_private` lets a URL lead into a
    private network; with `tells_addresses` a refusal says what a name resolves to. `sign_in` makes
    what signs the requests of one session in; sessions are shared only where it is equal, so that
    nobody uses another person's account.
    """

    name: str
    transport: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    cwd: str = ""
    url: str = ""
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    # Names in `env` and `headers` that somebody marked as secret (True) or not (False).
    marks: tuple[tuple[str, bool], ...] = ()
    timeout_s: float = 60.0
    mode: str = "auto"
    allow_private: bool = False
    tells_addresses: bool = False
    sign_in: "Callable[[ServerConfig], httpx2.Auth] | None" = field(default=None, repr=False)
    era: str = field(default="", compare=False)

    @property
    def has_placeholder(self) -> bool:
        """Whether each conversation needs a process of its own."""
        texts = (self.cwd, *self.args, *(value for _, value in self.env))
        return any(WORKSPACE in text for text in texts)

    def placed(self, workspace: Path) -> "ServerConfig":
        """This configuration with `{workspace}` replaced in arguments, environment and cwd."""
        if not self.has_placeholder:
            return self
        folder = str(workspace)
        return replace(
            self,
            args=tuple(arg.replace(WORKSPACE, folder) for arg in self.args),
            env=tuple((name, value.replace(WORKSPACE, folder)) for name, value in self.env),
            cwd=self.cwd.replace(WORKSPACE, folder),
        )

    @property
    def secrets(self) -> tuple[str, ...]:
        """Texts to mask in results, traces and logs."""
        marks = dict(self.marks)
        given = (*self.env, *self.headers, ("", self.url))
        texts = (masked_texts(name, value, marks.get(name)) for name, value in given)
        return tuple(dict.fromkeys(chain(*texts, argument_texts(self.args))))

    @property
    def connect_mode(self) -> str:
        """The SDK's `mode`: an old server answers the probe slowly or never."""
        return "legacy" if "legacy" in (self.mode, self.era) else "auto"


@dataclass(frozen=True)
class NeedsAccount:
    """The `sign_in` of a server that needs an account, as long as none is chosen."""

    server_pk: int

    def __call__(self, config: ServerConfig) -> NoReturn:
        raise ConnectionFailed(NO_ACCOUNT, FailureKind.NO_ACCOUNT)
