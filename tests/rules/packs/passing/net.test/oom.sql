INSERT INTO oom (source, requested_bytes, free_bytes, total_bytes)
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3)
SELECT 'trace', i * 1073741824, 0, 1073741824 FROM n;
