-- SPDX-License-Identifier: Apache-2.0
-- title: Nodes that fail again
-- note: A node is listed from the second run on that died of its hardware, its driver or its own loss; programs and file systems say nothing about a node. "Runs seen" counts the runs whose results name the node.
WITH fault AS (
  SELECT host, run, cause, start_time, gpu_hours
    FROM fleet_death
   WHERE host IS NOT NULL AND coalesce(start_time, $1) >= $1
     AND (cause LIKE 'hardware/%' OR cause = 'host/node-lost'
          OR cause LIKE 'device/%' OR cause = 'version/driver-mismatch')
), seen AS (
  SELECT host, count(*) AS runs FROM fleet_node GROUP BY host
)
SELECT f.host AS node,
       count(*) AS faults,
       s.runs AS runs_seen,
       CAST(count(*) AS DOUBLE PRECISION) / s.runs AS share,
       min(f.cause) AS cause,
       count(DISTINCT f.cause) AS causes,
       sum(f.gpu_hours) AS gpu_hours,
       max(f.start_time) AS last_time
  FROM fault AS f
  JOIN seen AS s ON s.host = f.host
 GROUP BY f.host, s.runs
HAVING count(*) >= 2
 ORDER BY count(*) DESC, share DESC, f.host
 LIMIT $2
