-- Sets the running text of a turn, in place of what was there.
--
-- KEYS  run_key
-- ARGV  generation, epoch, round, ttl_s, content, reasoning, calls
-- Returns 1, or 0 if a run of a newer epoch is there, which stays.

local run_key = KEYS[1]
local generation, epoch, round, ttl_s = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local texts = {content = ARGV[5], reasoning = ARGV[6], calls = ARGV[7]}

local current_epoch = redis.call('HGET', run_key, 'epoch')
if current_epoch and tonumber(current_epoch) > tonumber(epoch) then return 0 end

redis.call('DEL', run_key, run_key .. ':content', run_key .. ':reasoning', run_key .. ':calls')
redis.call('HSET', run_key, 'generation', generation, 'epoch', epoch, 'round', round)
redis.call('EXPIRE', run_key, ttl_s)
for part, text in pairs(texts) do
  if text ~= '' then redis.call('SET', run_key .. ':' .. part, text, 'EX', ttl_s) end
end
return 1
