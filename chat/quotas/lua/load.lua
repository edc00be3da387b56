-- Takes over what the database knows of a person: `chat.quotas.windows` has the keys.
--
-- KEYS  minute, open, used
-- ARGV  now_ms, ttl_s, unstored_ms, passed_on_ms, count_of_fields, then those fields of `used` and
--       their values, count_open, then of each open turn its key and its time in ms, then the same
--       of the turns of the last minute
-- An admitted turn of which the database knows nothing stays open for `unstored_ms`, since it may
-- be being stored; one whose key begins with '~', which is never stored, for `passed_on_ms`.

local minute, open, used = KEYS[1], KEYS[2], KEYS[3]
local now = tonumber(ARGV[1])
local i = 6
for _ = 1, tonumber(ARGV[5]) do
  redis.call('HSET', used, ARGV[i], ARGV[i + 1])
  i = i + 2
end
redis.call('EXPIRE', used, ARGV[2])

local is_open, is_stored = {}, {}
local count_open = tonumber(ARGV[i])
i = i + 1
local first_recent = i + 2 * count_open
while i < first_recent do
  is_open[ARGV[i]] = true
  redis.call('ZADD', open, 'NX', ARGV[i + 1], ARGV[i])
  i = i + 2
end
while i <= #ARGV do
  is_stored[ARGV[i]] = true
  redis.call('ZADD', minute, 'NX', ARGV[i + 1], ARGV[i])
  i = i + 2
end

local admitted = redis.call('ZRANGE', open, 0, -1, 'WITHSCORES')
for k = 1, #admitted, 2 do
  local key, age = admitted[k], now - tonumber(admitted[k + 1])
  local longest = tonumber(string.sub(key, 1, 1) == '~' and ARGV[4] or ARGV[3])
  if not is_open[key] and (is_stored[key] or age > longest) then redis.call('ZREM', open, key) end
end
redis.call('EXPIRE', minute, 120)
redis.call('EXPIRE', open, 3600)
return 1
