-- Counts one more thing of a person in a stretch of time, if the limit allows it:
-- `chat.quotas.counters` has the key.
--
-- KEYS  counted
-- ARGV  now_ms, since_ms, amount, ttl_s, key, is_loading ('1' or ''), then the keys of things that
--       the database knows and their times in ms, if it is being loaded
-- Returns {'unknown'} if nothing was loaded; else {'admitted' | 'known' | 'refused', the times in ms
--   of what was counted before …}.
-- The member '' at no time says that the set was loaded.

local counted = KEYS[1]
if ARGV[6] == '1' then
  redis.call('ZADD', counted, '+inf', '')
  for i = 7, #ARGV, 2 do redis.call('ZADD', counted, 'NX', ARGV[i + 1], ARGV[i]) end
elseif not redis.call('ZSCORE', counted, '') then
  return {'unknown'}
end

redis.call('ZREMRANGEBYSCORE', counted, '-inf', '(' .. ARGV[2])
redis.call('EXPIRE', counted, ARGV[4])
local rows = redis.call('ZRANGEBYSCORE', counted, '-inf', '(+inf', 'WITHSCORES')
local answer = {'admitted'}
for i = 2, #rows, 2 do answer[#answer + 1] = rows[i] end
if redis.call('ZSCORE', counted, ARGV[5]) then
  answer[1] = 'known'
elseif #rows / 2 + 1 > tonumber(ARGV[3]) then
  answer[1] = 'refused'
else
  redis.call('ZADD', counted, ARGV[1], ARGV[5])
end
return answer
