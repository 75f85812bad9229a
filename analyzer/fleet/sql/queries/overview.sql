-- SPDX-License-Identifier: Apache-2.0
-- title: Runs
-- note: GPU-hours are those of the whole life of runs that died: an upper limit of what was lost, because no record says what a checkpoint saved.
SELECT count(*) AS runs,
       sum(CASE WHEN cause NOT IN ('none', 'unknown') THEN 1 ELSE 0 END)
         AS died_of_a_known_cause,
       sum(CASE WHEN cause = 'unknown' THEN 1 ELSE 0 END) AS unknown,
       sum(CASE WHEN cause = 'none' THEN 1 ELSE 0 END) AS healthy,
       sum(CASE WHEN cause <> 'none' THEN gpu_hours END) AS gpu_hours,
       sum(CASE WHEN cause <> 'none' AND gpus IS NULL THEN 1 ELSE 0 END)
         AS without_gpu_count,
       sum(CASE WHEN cause <> 'none' AND seconds IS NULL THEN 1 ELSE 0 END)
         AS without_duration,
       sum(CASE WHEN cause <> 'none' AND host IS NULL THEN 1 ELSE 0 END)
         AS without_node,
       sum(CASE WHEN start_time IS NULL THEN 1 ELSE 0 END) AS without_start
  FROM fleet_death
 WHERE coalesce(start_time, $1) >= $1
