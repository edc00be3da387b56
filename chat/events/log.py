"""The event log of a conversation: a Redis stream with gapless ids, and a doorbell.

`chat.events.log` keys, per conversation: `rt:log:<uuid>` is the stream, whose ids are
`<incarnation>-<n>`; the channel of the same name announces every append as `<id> <event>`, or as
`<id>` alone if the event is long. `rt:run:<turn>` is a hash that names the generation whose text is
being streamed; `rt:run:<turn>:content`, `…:reasoning` and `…:calls` are its texts so far.

All of it is written by one Lua script, so a reader sees an event exactly when its number exists.
"""

import json
import logging
import time
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import redis
from django.conf import settings

from limits.web import MAX_ANNOUNCED_BYTES, MAX_LOG_EVENTS, MAX_LOG_S

logger = logging.getLogger(__name__)

PARTS = ("content", "reasoning", "calls")
BEGINNING = "!"

# ARGV: incarnation for new logs, seconds to live, length kept, longest event announced, then for
# each event: log key, run key or "", part or "", text before in bytes, text, event.
# An event with a run key is a delta: its text is appended to the running text, unless what is there
# is not what the owner believes; then nothing is written and the answer is 0 ("lost"). The part "!"
# is no event: it begins a running text, of the epoch in the fourth place; an older one changes
# nothing.
APPEND = """
local answers = {}
for i = 5, #ARGV, 6 do
  local log, run, part = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local kept = true
  if part == '!' then
    local epoch = redis.call('HGET', run, 'epoch')
    if not epoch or tonumber(epoch) <= tonumber(ARGV[i + 3]) then
      local generation, round = string.match(ARGV[i + 4], '(%S+) (%S+)')
      redis.call('DEL', run, run .. ':content', run .. ':reasoning', run .. ':calls')
      redis.call('HSET', run, 'generation', generation, 'epoch', ARGV[i + 3], 'round', round)
      redis.call('EXPIRE', run, ARGV[2])
    end
  elseif run ~= '' then
    local key = run .. ':' .. part
    if redis.call('STRLEN', key) ~= tonumber(ARGV[i + 3]) or redis.call('EXISTS', run) == 0 then
      kept = false
    else
      redis.call('APPEND', key, ARGV[i + 4])
      if ARGV[i + 3] == '0' then redis.call('EXPIRE', key, ARGV[2]) end
    end
  end
  if part == '!' then
    answers[#answers + 1] = 1
  elseif kept then
    local last = redis.call('XREVRANGE', log, '+', '-', 'COUNT', 1)
    local inc, n = ARGV[1], 0
    if last[1] then inc, n = string.match(last[1][1], '(%d+)-(%d+)') end
    local id = inc .. '-' .. (tonumber(n) + 1)
    redis.call('XADD', log, 'MAXLEN', '~', ARGV[3], id, 'e', ARGV[i + 5])
    redis.call('EXPIRE', log, ARGV[2])
    if #ARGV[i + 5] <= tonumber(ARGV[4]) then
      redis.call('PUBLISH', log, id .. ' ' .. ARGV[i + 5])
    else
      redis.call('PUBLISH', log, id)
    end
    answers[#answers + 1] = id
  else
    answers[#answers + 1] = 0
  end
end
return answers
"""

# KEYS: log, run keys. Answers the id of the last event (or ""), then for each run key its hash as
# JSON-free pairs and the three texts.
PEEK = """
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
local answer = {last[1] and last[1][1] or ''}
for i = 2, #KEYS do
  answer[#answer + 1] = {
    redis.call('HMGET', KEYS[i], 'generation', 'epoch', 'round'),
    redis.call('GET', KEYS[i] .. ':content') or '',
    redis.call('GET', KEYS[i] .. ':reasoning') or '',
    redis.call('GET', KEYS[i] .. ':calls') or '',
  }
end
return answer
"""

# KEYS: run key, log. ARGV: generation, epoch, round, seconds, content, reasoning, calls. Sets the
# running text, in place of what was there; an older epoch does not overwrite a newer one.
BEGIN = """
local epoch = redis.call('HGET', KEYS[1], 'epoch')
if epoch and tonumber(epoch) > tonumber(ARGV[2]) then return 0 end
redis.call('DEL', KEYS[1], KEYS[1] .. ':content', KEYS[1] .. ':reasoning', KEYS[1] .. ':calls')
redis.call('HSET', KEYS[1], 'generation', ARGV[1], 'epoch', ARGV[2], 'round', ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[4])
if ARGV[5] ~= '' then redis.call('SET', KEYS[1] .. ':content', ARGV[5], 'EX', ARGV[4]) end
if ARGV[6] ~= '' then redis.call('SET', KEYS[1] .. ':reasoning', ARGV[6], 'EX', ARGV[4]) end
if ARGV[7] ~= '' then redis.call('SET', KEYS[1] .. ':calls', ARGV[7], 'EX', ARGV[4]) end
return 1
"""


@dataclass(frozen=True, order=True)
class EventId:
    """`<incarnation>-<n>`."""

    incarnation: int
    n: int

    @classmethod
    def parse(cls, text: str) -> "EventId":
        """Raises ValueError."""
        incarnation, _, n = text.partition("-")
        if not (incarnation.isascii() and incarnation.isdigit() and n.isascii() and n.isdigit()):
            raise ValueError(f"not an event id: {text[:40]!r}")
        return cls(int(incarnation), int(n))

    def __str__(self) -> str:
        return f"{self.incarnation}-{self.n}"


@dataclass(frozen=True)
class Append:
    """One event to append. With `turn` and `part` it is a delta: `text` is running text, and
    `before` is how many bytes of it the writer believes to stand there already."""

    conversation: uuid.UUID
    event: str
    turn: str = ""
    part: str = ""
    before: int = 0
    text: bytes = b""

    def arguments(self) -> tuple[str | bytes | int, ...]:
        run = run_key(self.turn) if self.turn else ""
        return (log_key(self.conversation), run, self.part, self.before, self.text, self.event)


def log_key(conversation: uuid.UUID | str) -> str:
    return f"rt:log:{conversation}"


def run_key(turn: uuid.UUID | str) -> str:
    return f"rt:run:{turn}"


def encode(event: dict[str, Any]) -> str:
    """An event as the log stores it and the socket sends it: ASCII where UTF-8 cannot carry it."""
    text = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(event, separators=(",", ":"))
    return text


def append_arguments(appends: Iterable[Append]) -> list[str | bytes | int]:
    """What the `APPEND` script takes, for one call that writes all of `appends` in order."""
    # Greater than any incarnation before it, also if Redis came back empty.
    head: list[str | bytes | int] = [
        time.time_ns() // 1_000_000,
        MAX_LOG_S,
        MAX_LOG_EVENTS,
        MAX_ANNOUNCED_BYTES,
    ]
    for append in appends:
        head.extend(append.arguments())
    return head


@cache
def client() -> "redis.Redis":
    """This process's connection pool for threads. Short time-outs: a dead Redis must not hold."""
    return redis.Redis.from_url(
        settings.REDIS_URL, socket_connect_timeout=0.5, socket_timeout=2.0, retry=None
    )


@cache
def _append_script() -> Any:
    return client().register_script(APPEND)


def emit(conversation: uuid.UUID, event: dict[str, Any]) -> None:
    """Appends and announces one event. A Redis that is down is logged: readers start over from
    the database when it is back."""
    emit_many(conversation, [event])


def emit_many(conversation: uuid.UUID, events: Sequence[dict[str, Any]]) -> None:
    """Appends events in their order."""
    appends = [Append(conversation, encode(event)) for event in events]
    try:
        _append_script()(args=append_arguments(appends))
    except redis.RedisError as error:
        logger.warning("The event log is out of reach: %s", error)


@dataclass(frozen=True)
class Run:
    """Which generation's text is the running text of a turn."""

    turn: uuid.UUID
    generation: uuid.UUID
    epoch: int
    round: int

    def arguments(self, texts: Sequence[bytes]) -> list[str | bytes | int]:
        """What the `BEGIN` script takes beside its key; `texts` in the order of `PARTS`."""
        return [str(self.generation), self.epoch, self.round, MAX_LOG_S, *texts]
