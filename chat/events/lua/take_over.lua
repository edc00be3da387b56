-- Makes an epoch the latest of a turn, and reads its running text: what owners of an older epoch
-- add to it from now on is refused.
--
-- KEYS  run_key
-- ARGV  epoch, ttl_s
-- Returns {{generation, epoch, round}, content, reasoning, calls}, with nil for a field that is not
-- there.

local run_key, epoch, ttl_s = KEYS[1], ARGV[1], ARGV[2]
local current_epoch = redis.call('HGET', run_key, 'epoch')
if not current_epoch or tonumber(current_epoch) < tonumber(epoch) then
  redis.call('HSET', run_key, 'epoch', epoch)
  redis.call('EXPIRE', run_key, ttl_s)
end
return {
  redis.call('HMGET', run_key, 'generation', 'epoch', 'round'),
  redis.call('GET', run_key .. ':content') or '',
  redis.call('GET', run_key .. ':reasoning') or '',
  redis.call('GET', run_key .. ':calls') or '',
}
