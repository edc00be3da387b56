-- Whether what a process has written is still there: after `store.lua`.
--
-- KEYS  store, then run keys
-- ARGV  now_ms, then for each run key generation, epoch, and the bytes of content, reasoning, calls
-- Returns since when the data are whole, in ms, and the positions, from 0, of the running texts
-- that are not. One that a newer epoch or another generation has replaced counts as whole.

local since = whole_since(KEYS[1], ARGV[1], true)
local lost = {}
for i = 2, #KEYS do
  local run_key, first = KEYS[i], 2 + (i - 2) * 5
  local run = redis.call('HMGET', run_key, 'generation', 'epoch')
  local is_older = run[2] and tonumber(run[2]) < tonumber(ARGV[first + 1])
  local is_same = run[1] == ARGV[first]
  local is_whole = true
  for k, part in ipairs({'content', 'reasoning', 'calls'}) do
    local length = redis.call('STRLEN', run_key .. ':' .. part)
    is_whole = is_whole and length == tonumber(ARGV[first + 1 + k])
  end
  if not run[1] or is_older or (is_same and not is_whole) then lost[#lost + 1] = i - 2 end
end
return {string.format('%.0f', since), lost}
