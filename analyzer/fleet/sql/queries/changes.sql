-- SPDX-License-Identifier: Apache-2.0
-- title: What became more frequent with a version
-- note: "Share" is that of the cause among the runs with this version, "share before" that among the runs with versions that were first seen earlier. Listed from 10 runs before and after, 2 deaths, and a difference of 2.5 standard errors, which chance alone makes in about one of 160 comparisons. That one followed the other does not say that it made it.
WITH run AS (
  SELECT v.what, v.version, d.run, d.cause, d.start_time
    FROM fleet_version AS v
    JOIN fleet_death AS d ON d.run = v.run
   WHERE d.start_time >= $1
     AND v.what NOT IN ('capability', 'driver_cuda')
), version AS (
  SELECT what, version, min(start_time) AS first_time, count(*) AS runs
    FROM run
   GROUP BY what, version
), version_before AS (
  SELECT what, version, first_time, runs,
         sum(runs) OVER (PARTITION BY what ORDER BY first_time, version
                         ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
           AS runs_before
    FROM version
), hit AS (
  SELECT what, version, cause, count(*) AS deaths
    FROM run
   WHERE cause <> 'none'
   GROUP BY what, version, cause
), hit_before AS (
  SELECT h.what, h.version, h.cause, h.deaths, v.first_time, v.runs,
         v.runs_before,
         coalesce(
           sum(h.deaths) OVER (
             PARTITION BY h.what, h.cause ORDER BY v.first_time, v.version
             ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
           AS deaths_before
    FROM hit AS h
    JOIN version_before AS v ON v.what = h.what AND v.version = h.version
), share AS (
  SELECT what, version, first_time, cause, deaths, runs,
         CAST(deaths AS DOUBLE PRECISION) / runs AS share,
         deaths_before, runs_before,
         CAST(deaths_before AS DOUBLE PRECISION) / runs_before AS share_before,
         CAST(deaths + deaths_before AS DOUBLE PRECISION)
           / (runs + runs_before) AS share_of_both
    FROM hit_before
   WHERE runs >= 10 AND runs_before >= 10 AND deaths >= 2
)
SELECT what, version, first_time, cause, deaths, runs, share,
       deaths_before, runs_before, share_before
  FROM share
 WHERE share > share_before
   AND (share - share_before) * (share - share_before)
         >= 2.5 * 2.5 * share_of_both * (1 - share_of_both)
              * (1.0 / runs + 1.0 / runs_before)
 ORDER BY share - share_before DESC, what, version, cause
 LIMIT $2
