-- Appends events to the logs of conversations and text to running texts, in order, and announces
-- all events together: `chat.events.log` has the format. After `store.lua`.
--
-- KEYS  none: the keys are among the arguments, as many as there are appends.
-- ARGV  new_incarnation, ttl_s, max_events, max_announced_bytes, channel, log_prefix, store; then for
--       each append its kind and
--       event  conversation, event
--       delta  conversation, event, run_key, part, bytes_before, text
--       run    run_key, generation, epoch, round
--       ring   list_key, entry
-- Returns the positions, from 0, of the deltas that were lost: the running text was not
-- `bytes_before` long, so neither text nor event was written.

local new_incarnation, ttl_s, max_events = ARGV[1], ARGV[2], ARGV[3]
local max_announced_bytes, channel, log_prefix = tonumber(ARGV[4]), ARGV[5], ARGV[6]
local announcements = {}
local since = whole_since(ARGV[7], new_incarnation, false)

-- The incarnation of a log that begins, or starts over after one that is in doubt.
local function begin_log(before)
  return string.format('%.0f', math.max(tonumber(new_incarnation), since, before + 1))
end

-- A delta keeps its log alive once in 64 times: it follows an event that did.
local function append_event(conversation, event, is_delta)
  local log_key = log_prefix .. conversation
  local last = redis.call('XREVRANGE', log_key, '+', '-', 'COUNT', 1)
  local incarnation, n = '0', 0
  if last[1] then incarnation, n = string.match(last[1][1], '(%d+)-(%d+)') end
  if tonumber(incarnation) < since then incarnation, n = begin_log(tonumber(incarnation)), 0 end
  n = tonumber(n) + 1
  local id = incarnation .. '-' .. n
  redis.call('XADD', log_key, 'MAXLEN', '~', max_events, id, 'e', event)
  if not is_delta or n % 64 == 1 then redis.call('EXPIRE', log_key, ttl_s) end
  local announcement = conversation .. ' ' .. id
  if #event <= max_announced_bytes then announcement = announcement .. ' ' .. event end
  announcements[#announcements + 1] = announcement
end

local function append_text(run_key, part, bytes_before, text)
  local text_key = run_key .. ':' .. part
  if redis.call('STRLEN', text_key) ~= tonumber(bytes_before) then return false end
  if redis.call('EXISTS', run_key) == 0 then return false end
  redis.call('APPEND', text_key, text)
  if bytes_before == '0' then redis.call('EXPIRE', text_key, ttl_s) end
  return true
end

-- Begins an empty running text. The run of an older epoch does not replace that of a newer one.
local function begin_run(run_key, generation, epoch, round)
  local current_epoch = redis.call('HGET', run_key, 'epoch')
  if current_epoch and tonumber(current_epoch) > tonumber(epoch) then return end
  redis.call('DEL', run_key, run_key .. ':content', run_key .. ':reasoning', run_key .. ':calls')
  redis.call('HSET', run_key, 'generation', generation, 'epoch', epoch, 'round', round)
  redis.call('EXPIRE', run_key, ttl_s)
end

local lost = {}
local position, i = 0, 8
while i <= #ARGV do
  local kind = ARGV[i]
  if kind == 'event' then
    append_event(ARGV[i + 1], ARGV[i + 2])
    i = i + 3
  elseif kind == 'delta' then
    if append_text(ARGV[i + 3], ARGV[i + 4], ARGV[i + 5], ARGV[i + 6]) then
      append_event(ARGV[i + 1], ARGV[i + 2], true)
    else
      lost[#lost + 1] = position
    end
    i = i + 7
  elseif kind == 'ring' then
    redis.call('RPUSH', ARGV[i + 1], ARGV[i + 2])
    i = i + 3
  else
    begin_run(ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4])
    i = i + 5
  end
  position = position + 1
end
if #announcements > 0 then redis.call('PUBLISH', channel, table.concat(announcements, '\n')) end
return lost
