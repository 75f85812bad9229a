-- SPDX-License-Identifier: Apache-2.0
-- How processes and the run ended, and related messages of the kernel.

-- Xid errors of the NVIDIA driver, from kernel logs and from NVML.
CREATE TEMP VIEW xid AS
SELECT 'log_event:' || id AS evidence,  -- row or line
       time,                            -- ? nanoseconds since 1970
       CAST(figures ->> '$.xid' AS INTEGER) AS xid,  -- number
       figures ->> '$.pci' AS pci,      -- ? as printed
       device,                          -- ? ordinal
       pid,                             -- ? that the driver blames
       text                             -- the line or the event
  FROM store_log_event WHERE fact = 'xid'
UNION ALL
SELECT 'device_event:' || id, time, value, NULL, device, NULL, text
  FROM device_event WHERE kind = 'xid';

-- Other lines of the kernel that may explain a death: OOM killer, PCIe, NVLink.
CREATE TEMP VIEW kernel_event AS
SELECT 'log_event:' || id AS evidence,  -- the line
       time,                            -- ? nanoseconds since 1970
       signature,                       -- that recognised it
       pid,                             -- ? of the process concerned
       text,                            -- the line
       figures                          -- JSON object of the captures
  FROM store_log_event WHERE fact = 'kernel_event';

-- How processes ended, from launchers, schedulers, shells and the run
-- itself.
CREATE TEMP VIEW process_exit AS
SELECT 'log_event:' || id AS evidence,   -- ? row or line
       'log' AS source,                  -- run, trace or log
       time,                             -- ? nanoseconds since 1970
       rank,                             -- ? of the launcher
       pid,                              -- ? of the operating system
       CAST(figures ->> '$.exitcode' AS INTEGER) AS exitcode,
                                         -- ? negative or above 128: a signal; a process does
                                         -- not tell it when it calls quick_exit
       figures ->> '$.signal' AS signal  -- ? number or name
  FROM store_log_event WHERE fact = 'process_exit'
UNION ALL
SELECT 'device_event:' || d.id, 'trace', d.time, p.rank, p.pid,
       CASE WHEN d.kind = 'exit' AND d.text NOT LIKE '%quick_exit%'
            THEN d.value END,
       CASE d.kind WHEN 'signal' THEN d.value END
  FROM device_event AS d JOIN process AS p USING (process)
 WHERE d.kind IN ('signal', 'exit')
UNION ALL
SELECT 'run:1', 'run', end_time, NULL, NULL, exit_code, signal
  FROM run WHERE end_time IS NOT NULL;

-- How the whole run ended; exactly one row.
CREATE TABLE store_ending (
  died INTEGER NOT NULL,           -- 1: there is evidence that it failed
  finished INTEGER NOT NULL,       -- 1: there is evidence that it completed
  evidence TEXT,                   -- its source
  last_progress INTEGER,           -- log_event.id of the last sign of ordinary work
  progress_count INTEGER NOT NULL, -- signs of ordinary work seen
  alive INTEGER NOT NULL           -- 1: a recorded process still runs
);
