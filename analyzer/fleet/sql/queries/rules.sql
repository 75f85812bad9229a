-- SPDX-License-Identifier: Apache-2.0
-- title: Hits of rules
-- note: Of all runs, also of those whose inputs a rule could not be asked about. A rule with many symptoms and no root explains nothing by itself.
SELECT f.rule,
       min(f.cause) AS cause,
       count(DISTINCT f.run) AS runs,
       CAST(count(DISTINCT f.run) AS DOUBLE PRECISION)
         / (SELECT count(*) FROM fleet_run
             WHERE coalesce(start_time, $1) >= $1) AS share,
       sum(CASE WHEN f.role = 'root' THEN 1 ELSE 0 END) AS as_root,
       sum(CASE WHEN f.role = 'symptom' THEN 1 ELSE 0 END) AS as_symptom,
       sum(f.survived) AS survived
  FROM fleet_finding AS f
  JOIN fleet_run AS r ON r.run = f.run AND r.rules = f.rules
 WHERE coalesce(r.start_time, $1) >= $1
 GROUP BY f.rule
 ORDER BY runs DESC, f.rule
 LIMIT $2
