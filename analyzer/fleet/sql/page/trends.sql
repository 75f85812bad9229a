-- SPDX-License-Identifier: Apache-2.0
-- How many runs of each cause began on each day, healthy ones, too: the page
-- joins days to weeks and more. Runs without a start have no day.
SELECT start_time / 86400000000000 AS day,
       cause,
       count(*) AS runs,
       sum(gpu_hours) AS gpu_hours,
       count(gpu_hours) AS hours_known_of
  FROM fleet_death
 WHERE start_time >= $1
 GROUP BY start_time / 86400000000000, cause
 ORDER BY 1, 2
