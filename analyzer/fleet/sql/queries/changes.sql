-- title: What changed with a version
-- note: "Share" is that of the cause among the runs with this version, "share before" that among the runs with those that were first seen earlier. Only versions with 10 runs before and after, and causes that were met twice. That one followed the other does not say that it made it.
WITH run AS (
  SELECT v.what, v.version, d.run, d.cause, d.start_time
    FROM fleet_version AS v
    JOIN fleet_death AS d ON d.run = v.run
   WHERE d.start_time >= $1
     AND v.what NOT IN ('capability', 'driver_cuda')
), version AS (
  SELECT what, version, min(start_time) AS first_time, count(*) AS runs
    FROM run GROUP BY what, version
), hit AS (
  SELECT what, version, cause, count(*) AS deaths
    FROM run WHERE cause <> 'none' GROUP BY what, version, cause
), compared AS (
  SELECT n.what, n.version, n.first_time, h.cause, h.deaths, n.runs,
         (SELECT sum(o.runs) FROM version AS o
           WHERE o.what = n.what AND o.first_time < n.first_time)
           AS runs_before,
         (SELECT coalesce(sum(b.deaths), 0)
            FROM version AS o
            JOIN hit AS b ON b.what = o.what AND b.version = o.version
           WHERE o.what = n.what AND o.first_time < n.first_time
             AND b.cause = h.cause) AS deaths_before
    FROM version AS n
    JOIN hit AS h ON h.what = n.what AND h.version = n.version
)
SELECT what, version, first_time, cause, deaths, runs,
       CAST(deaths AS DOUBLE PRECISION) / runs AS share,
       deaths_before, runs_before,
       CAST(deaths_before AS DOUBLE PRECISION) / runs_before AS share_before
  FROM compared
 WHERE runs >= 10 AND runs_before >= 10 AND deaths >= 2
   AND CAST(deaths AS DOUBLE PRECISION) / runs
         > 1.5 * CAST(deaths_before AS DOUBLE PRECISION) / runs_before
 ORDER BY CAST(deaths AS DOUBLE PRECISION) / runs
            - CAST(deaths_before AS DOUBLE PRECISION) / runs_before DESC,
          what, version, cause
 LIMIT $2
