-- SPDX-License-Identifier: Apache-2.0
-- title: Causes by GPU-hours
-- note: "Hours known of" says of how many of these runs the hours are known; the others count as runs only.
SELECT cause,
       count(*) AS runs,
       sum(gpu_hours) AS gpu_hours,
       count(gpu_hours) AS hours_known_of,
       max(start_time) AS last_time
  FROM fleet_death
 WHERE cause <> 'none' AND coalesce(start_time, $1) >= $1
 GROUP BY cause
 ORDER BY coalesce(sum(gpu_hours), 0) DESC, count(*) DESC, cause
 LIMIT $2
