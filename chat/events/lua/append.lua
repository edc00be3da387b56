-- Appends events to the logs of conversations and text to running texts, in order, and announces
-- all events together: `chat.events.log` has the format. After `store.lua`.
--
-- KEYS  none: the keys are among the arguments, as many as there are appends.
-- ARGV  new_incarnation, ttl_s, max_events, max_announced_bytes, channel, log_prefix, store; then for
--       each append its kind and
--       event  conversation, event
--       state  conversation, event, run_key, epoch, is_end ('1': the turn is over)
--       begin  conversation, run_key, generation, epoch, round, count, that many events
--       text   conversation, run_key, generation, epoch, round, is_anew ('1': there may be no run),
--              content, reasoning, calls, event, count, that many events of its beginning
--       delta  conversation, event, run_key, generation, epoch, part, bytes_before, text
--       block  conversation, event, run_key, generation, epoch
--       ring   list_key, entry
-- Returns two lists of positions, from 0. Lost: deltas and texts whose running text is not what its
-- writer believed, so that neither text nor event was written; and the blocks of such deltas.
-- Refused: what an owner says whose turn was taken over or is over.
--
-- A run is what is known of a turn: `epoch` of the latest owner that Redis has heard of; `ended`
-- once the turn is over; and `generation` and `round` of the running text, if there is one.

local new_incarnation, ttl_s, max_events = ARGV[1], ARGV[2], ARGV[3]
local max_announced_bytes, channel, log_prefix = tonumber(ARGV[4]), ARGV[5], ARGV[6]
local announcements = {}
local since = whole_since(ARGV[7], new_incarnation, false)
local lost, refused, lost_runs = {}, {}, {}
local position, i = 0, 8

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

local function append_events(conversation, first, count)
  for place = first, first + count - 1 do append_event(conversation, ARGV[place]) end
end

local function lose(run_key)
  lost[#lost + 1] = position
  lost_runs[run_key] = true
end

local function refuse() refused[#refused + 1] = position end

-- Whether this owner may not speak any more.
local function is_past(run_key, epoch, may_have_ended)
  local run = redis.call('HMGET', run_key, 'epoch', 'ended')
  if run[2] and not may_have_ended then return true end
  return run[1] and tonumber(run[1]) > tonumber(epoch)
end

local function delete_texts(run_key)
  redis.call('DEL', run_key .. ':content', run_key .. ':reasoning', run_key .. ':calls')
end

local function set_run(run_key, generation, epoch, round)
  redis.call('HSET', run_key, 'generation', generation, 'epoch', epoch, 'round', round)
  redis.call('EXPIRE', run_key, ttl_s)
end

-- The first final state of a turn counts: what comes later about it is not to be told.
local function append_state(conversation, event, run_key, epoch, is_end)
  if is_end == '1' then
    redis.call('HSET', run_key, 'ended', 1)
    redis.call('HDEL', run_key, 'generation', 'round')
    redis.call('EXPIRE', run_key, ttl_s)
    delete_texts(run_key)
  elseif is_past(run_key, epoch) then
    return refuse()
  end
  append_event(conversation, event)
end

-- The events of the beginning come once, though they may be written again after a failure of which
-- nobody knows whether it was one.
local function begin_run(conversation, run_key, generation, epoch, round, first, count)
  if is_past(run_key, epoch) then return refuse() end
  if redis.call('HGET', run_key, 'generation') == generation then return end
  delete_texts(run_key)
  set_run(run_key, generation, epoch, round)
  append_events(conversation, first, count)
end

local function replace_text(conversation, run_key, generation, epoch, round, is_anew, at)
  if is_past(run_key, epoch) then return refuse() end
  local current = redis.call('HGET', run_key, 'generation')
  if current ~= generation and is_anew ~= '1' then return lose(run_key) end
  delete_texts(run_key)
  set_run(run_key, generation, epoch, round)
  for offset, part in ipairs({'content', 'reasoning', 'calls'}) do
    local text = ARGV[at + offset - 1]
    if text ~= '' then redis.call('SET', run_key .. ':' .. part, text, 'EX', ttl_s) end
  end
  if current ~= generation then append_events(conversation, at + 5, tonumber(ARGV[at + 4])) end
  append_event(conversation, ARGV[at + 3])
  lost_runs[run_key] = nil
end

-- Whether the running text is that of this generation and this owner.
local function is_running(run_key, generation, epoch)
  local run = redis.call('HMGET', run_key, 'generation', 'epoch')
  return run[1] == generation and run[2] == epoch
end

local function append_delta(conversation, event, run_key, generation, epoch, at)
  local part, bytes_before, text = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  local text_key = run_key .. ':' .. part
  if redis.call('STRLEN', text_key) ~= tonumber(bytes_before)
    or not is_running(run_key, generation, epoch)
  then
    return lose(run_key)
  end
  redis.call('APPEND', text_key, text)
  if bytes_before == '0' then redis.call('EXPIRE', text_key, ttl_s) end
  append_event(conversation, event, true)
end

local function append_block(conversation, event, run_key, generation, epoch)
  if lost_runs[run_key] or not is_running(run_key, generation, epoch) then return lose(run_key) end
  append_event(conversation, event)
end

while i <= #ARGV do
  local kind = ARGV[i]
  local a, b, c, d, e, f = ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4], ARGV[i + 5], ARGV[i + 6]
  if kind == 'event' then
    append_event(a, b)
    i = i + 3
  elseif kind == 'delta' then
    append_delta(a, b, c, d, e, i + 6)
    i = i + 9
  elseif kind == 'block' then
    append_block(a, b, c, d, e)
    i = i + 6
  elseif kind == 'state' then
    append_state(a, b, c, d, e)
    i = i + 6
  elseif kind == 'ring' then
    redis.call('RPUSH', a, b)
    i = i + 3
  elseif kind == 'begin' then
    begin_run(a, b, c, d, e, i + 7, tonumber(f))
    i = i + 7 + tonumber(f)
  else
    replace_text(a, b, c, d, e, f, i + 7)
    i = i + 12 + tonumber(ARGV[i + 11])
  end
  position = position + 1
end
if #announcements > 0 then redis.call('PUBLISH', channel, table.concat(announcements, '\n')) end
return {lost, refused}
