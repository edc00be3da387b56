-- Admits turns of a person, or says what has been used: `chat.quotas.windows` has the keys.
--
-- KEYS  minute, open, used, changed
-- ARGV  now_ms, day, oldest_ms, turns, turns_minute, open_turns, tokens_day, tokens_month, cost_day,
--       cost_month (each amount, or '' for none), then the keys of the turns
-- Returns {'unknown'} if what was used is not known, has changed since it was read, or was read
--   before `oldest_ms` or on another day; {'admitted'}; {'known'} if these turns were admitted before; or {'refused', loaded_ms, open,
--   tokens_day, tokens_month, cost_day, cost_month, turn_tokens, turn_cost, the times in ms of the
--   turns of the minute …}.

local minute, open, used = KEYS[1], KEYS[2], KEYS[3]
local now, day, oldest, turns = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local names = {'at', 'tokens_day', 'tokens_month', 'cost_day', 'cost_month', 'turn_tokens',
  'turn_cost', 'day', 'changed'}
local state = redis.call('HMGET', used, unpack(names))
if not state[1] or state[8] ~= day or tonumber(state[1]) < oldest then return {'unknown'} end
if state[9] ~= (redis.call('GET', KEYS[4]) or '') then return {'unknown'} end

redis.call('ZREMRANGEBYSCORE', minute, '-inf', now - 60000)
local in_minute, running = redis.call('ZCARD', minute), redis.call('ZCARD', open)

local function refusal()
  local figures = {'refused', state[1], running, unpack(state, 2, 7)}
  local began = redis.call('ZRANGE', minute, 0, -1, 'WITHSCORES')
  for i = 2, #began, 2 do figures[#figures + 1] = began[i] end
  return figures
end

local function fits()
  if ARGV[5] ~= '' and in_minute + turns > tonumber(ARGV[5]) then return false end
  if ARGV[6] ~= '' and running + turns > tonumber(ARGV[6]) then return false end
  for i = 7, 10 do
    if ARGV[i] ~= '' then
      -- Tokens of day and month, then costs: what a turn is thought to use is beside them.
      local each = tonumber(state[i < 9 and 6 or 7])
      local reserved = (running + turns - 1) * each
      if tonumber(state[i - 5]) + reserved >= tonumber(ARGV[i]) then return false end
    end
  end
  return true
end

if redis.call('ZSCORE', minute, ARGV[11]) or redis.call('ZSCORE', open, ARGV[11]) then
  return {'known'}
end
if not fits() then return refusal() end
for i = 11, #ARGV do
  redis.call('ZADD', minute, now, ARGV[i])
  redis.call('ZADD', open, now, ARGV[i])
end
redis.call('EXPIRE', minute, 120)
redis.call('EXPIRE', open, 3600)
return {'admitted'}
