-- Adds to what the database knew of a person, if that is kept: `chat.quotas.windows` has the key.
--
-- KEYS  used
-- ARGV  tokens, cost in millionths of a dollar
-- Returns nothing.

if redis.call('EXISTS', KEYS[1]) == 0 then return end
for _, period in ipairs({'day', 'month'}) do
  redis.call('HINCRBY', KEYS[1], 'tokens_' .. period, ARGV[1])
  redis.call('HINCRBY', KEYS[1], 'cost_' .. period, ARGV[2])
end
