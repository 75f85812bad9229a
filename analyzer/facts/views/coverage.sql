-- SPDX-License-Identifier: Apache-2.0
-- What was recorded and what was lost.

-- Which source recorded from when to when. A source without a row did not
-- record.
CREATE TEMP VIEW coverage AS
SELECT v.source,                              -- cupti, cudnn-plt, nvml, stacks, log, console, …
       {v.process} AS process,                -- ? process.process
       v.from_ns + c.offset_ns AS from_time,  -- ? nanoseconds since 1970
       v.to_ns + c.offset_ns AS to_time,      -- ? nanoseconds since 1970, NULL: to the end
       v.state,                               -- on, off, failed
       v.note                                 -- description
  FROM {trace}.coverage AS v
  JOIN store_trace AS c ON c.process = {v.process}
UNION ALL
SELECT 'log', NULL, first_time, last_time,
       CASE WHEN incomplete THEN 'failed' ELSE 'on' END, path
  FROM store_log_source;

-- Records that a collector could not keep. No row: nothing was lost.
CREATE TEMP VIEW loss AS
SELECT {process} AS process,  -- process.process
       kind,                  -- of record
       count,                 -- how many are missing
       note                   -- why
  FROM {trace}.loss;
