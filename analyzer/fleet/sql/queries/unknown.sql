-- SPDX-License-Identifier: Apache-2.0
-- title: Unknown ends by their wording
-- note: The wording is that of the first line that looks like an error, which is a rule that nobody has written yet (`inquest rules new` begins one), else of the last line: a log that only stops needs its other half, not a rule.
SELECT coalesce(template, 'nothing was printed') AS template,
       count(*) AS runs,
       count(DISTINCT host) AS nodes,
       sum(gpu_hours) AS gpu_hours,
       min(run) AS for_example,
       max(start_time) AS last_time
  FROM fleet_death
 WHERE cause = 'unknown' AND coalesce(start_time, $1) >= $1
 GROUP BY fleet_death.template
 ORDER BY runs DESC, template
 LIMIT $2
