-- Reads where a log ends and the running texts of turns, at one moment.
--
-- KEYS  log_key, then run keys
-- Returns the id of the last event, or '' if there is none; then for each run key
--   {{generation, epoch, round}, content, reasoning, calls}, with nil for a field that is not there.

local log_key = KEYS[1]
local last = redis.call('XREVRANGE', log_key, '+', '-', 'COUNT', 1)
local answer = {last[1] and last[1][1] or ''}
for i = 2, #KEYS do
  local run_key = KEYS[i]
  answer[i] = {
    redis.call('HMGET', run_key, 'generation', 'epoch', 'round'),
    redis.call('GET', run_key .. ':content') or '',
    redis.call('GET', run_key .. ':reasoning') or '',
    redis.call('GET', run_key .. ':calls') or '',
  }
end
return answer
