-- SPDX-License-Identifier: Apache-2.0
-- title: GPUs that fail again
-- note: By UUID, so a card stays the same in another slot or node. Listed from the second run on in which the card itself was the root. Runs whose evidence names no UUID are missing here.
WITH fault AS (
  SELECT gpu, host, run, cause, start_time, gpu_hours
    FROM fleet_death
   WHERE gpu IS NOT NULL AND coalesce(start_time, $1) >= $1
     AND (cause LIKE 'hardware/%' OR cause LIKE 'device/%')
), seen AS (
  SELECT gpu, count(*) AS runs FROM fleet_gpu GROUP BY gpu
)
SELECT f.gpu,
       min(f.host) AS node,
       count(DISTINCT f.host) AS nodes,
       count(*) AS faults,
       s.runs AS runs_seen,
       CAST(count(*) AS DOUBLE PRECISION) / s.runs AS share,
       min(f.cause) AS cause,
       count(DISTINCT f.cause) AS causes,
       max(f.start_time) AS last_time
  FROM fault AS f
  JOIN seen AS s ON s.gpu = f.gpu
 GROUP BY f.gpu, s.runs
HAVING count(*) >= 2
 ORDER BY count(*) DESC, share DESC, f.gpu
 LIMIT $2
