-- title: Unknown ends by their wording
-- note: Each is a rule that nobody has written yet: `inquest rules new` begins one. The wording is that of the first line that looks like an error, else of the last line.
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
