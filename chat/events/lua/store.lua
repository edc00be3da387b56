-- What every script begins with: since when the data in Redis are whole.
--
-- A server that was started or promoted has another replication id, and may have lost the latest
-- writes; one that was emptied has lost the hash `store`. The events of a log that began before
-- `since` may have been read by somebody and be gone: such a log starts over.
--
-- `whole_since` answers `since`, in ms; only `is_checked` looks at the replication id too.

local function whole_since(store, now, is_checked)
  local known = redis.call('HMGET', store, 'since', 'server')
  if known[1] and not is_checked then return tonumber(known[1]) end
  local server = string.match(redis.call('INFO', 'replication'), 'master_replid:(%w+)') or ''
  if known[1] and known[2] == server then return tonumber(known[1]) end
  local since = math.max(tonumber(now), tonumber(known[1] or '0') + 1)
  redis.call('HSET', store, 'since', string.format('%.0f', since), 'server', server)
  return since
end
