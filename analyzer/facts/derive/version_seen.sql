-- SPDX-License-Identifier: Apache-2.0
-- Fills `version_seen` once, after all logs were read and all traces attached:
-- as a view it would cost each rule that reads it milliseconds to compile.
INSERT INTO store_version_seen
WITH figures AS (
  SELECT f.key, f.value, e.id, e.source, e.rank, e.device, e.host, e.time
    FROM store_log_event AS e, json_each(e.figures) AS f
   WHERE f.key IN ('driver', 'driver_kernel', 'driver_cuda', 'cuda_runtime',
                   'cuda_tag', 'cudnn_runtime', 'torch', 'tensorflow',
                   'compute_capability', 'gpu')
), said AS (
  SELECT CASE key WHEN 'driver_kernel' THEN 'driver'
                  WHEN 'cuda_runtime' THEN 'cuda'
                  WHEN 'cuda_tag' THEN 'cuda'
                  WHEN 'cudnn_runtime' THEN 'cudnn'
                  WHEN 'compute_capability' THEN 'capability'
                  WHEN 'gpu' THEN 'capability'
                  ELSE key END AS what,
         CASE key WHEN 'cuda_tag'
                  THEN substr(value, 1, length(value) - 1) || '.'
                       || substr(value, -1)
                  WHEN 'gpu'
                  THEN (SELECT m.capability FROM store_gpu_model AS m
                         WHERE instr(value, m.name) > 0
                         ORDER BY length(m.name) DESC LIMIT 1)
                  ELSE CAST(value AS TEXT) END AS version,
         'log_event:' || id AS evidence, NULL AS process, source, rank, device,
         host, time
    FROM figures
  UNION ALL
  SELECT w.what,
         CASE w.what WHEN 'driver' THEN d.driver
                     WHEN 'driver_cuda' THEN CAST(d.cuda_driver AS TEXT)
                     WHEN 'cuda' THEN CAST(d.cuda_runtime AS TEXT)
                     ELSE d.compute_capability END,
         NULL, d.process, NULL, p.rank, d.device, p.host, p.start_time
    FROM device AS d
    JOIN process AS p USING (process),
         (SELECT 'driver' AS what UNION ALL SELECT 'driver_cuda'
          UNION ALL SELECT 'cuda' UNION ALL SELECT 'capability') AS w
  UNION ALL
  SELECT 'cudnn', l.version, NULL, l.process, NULL, p.rank, NULL, p.host,
         l.time
    FROM library AS l
    JOIN process AS p USING (process)
   WHERE l.name LIKE 'libcudnn.so%'
  UNION ALL
  SELECT k.name, k.version, NULL, k.process, NULL, p.rank, NULL, p.host, k.time
    FROM package AS k
    JOIN process AS p USING (process)
   WHERE k.name IN ('torch', 'tensorflow')
), parted AS (
  SELECT what,
         CASE WHEN instr(version, '.') > 0 OR length(version) < 4 THEN version
              WHEN what IN ('cuda', 'driver_cuda')
              THEN (version / 1000) || '.' || (version % 1000 / 10)
              WHEN what = 'cudnn' AND length(version) = 4
              THEN (version / 1000) || '.' || (version / 100 % 10) || '.'
                   || (version % 100)
              WHEN what = 'cudnn'
              THEN (version / 10000) || '.' || (version / 100 % 100) || '.'
                   || (version % 100)
              ELSE version END AS version,
         evidence, process, source, rank, device, host, time
    FROM said
)
SELECT what, version, version_number(version) AS number,
       version_number(version) / 100000000 * 100000000 AS minor,
       evidence, process, source, rank, device, host, time
  FROM parted
 WHERE version_number(version) IS NOT NULL;
