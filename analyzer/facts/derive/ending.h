// SPDX-License-Identifier: Apache-2.0
// Decides which errors in the logs the run survived, and how the run ended:
// fills log_event.survived and the fact `ending`. Called once, after the logs
// were read and the run's own exit status was added, before CollectLogOoms.
//
// A run survived an error if ordinary work continued after it in the same log
// (three signs of progress with no further error between them, or a line that
// says the run finished), or if a benign signature recognised the same line.
// One step is enough after an unusable library or GPU at start-up: the program
// works without it. A sign of progress with the figure `handled` ("skipping
// batch") is enough if no error comes after it. Steps that still end after a
// scheduler's stop do not count.
//
// A proof that the run completed is its exit status, or a last line that says
// so with no error and little work after it: neither a first epoch of another
// fold nor steps whose end is not in the log. After such a line only what
// processes say of others' ends is noise of the shutdown; an exception, an
// abort and an exit status are not. A proof that it died is its exit
// status, an error that it did not survive, or a process that vanished. Without
// either, `ending` says neither, or that the run is alive.
#pragma once

#include "analyzer/facts/store/store.h"

namespace inquest::facts {

// Tables for WITH, the last of them `ignored_event` (id, source, line): what a
// benign signature speaks for beside its own line. With the figure `traceback`
// ("Exception ignored in") that is the traceback that follows it: frames come
// every two or three lines, and the exception, whatever it says, within three
// of the last one (`frame`). With the figure `ends_traceback` (a launcher's own
// exception) it is the traceback above.
inline constexpr char kIgnoredTracebacks[] =
    "walked(source, first, line) AS (SELECT source, line, line + 3 FROM "
    "store_log_event WHERE role = 'benign' AND figures ->> '$.traceback' IS "
    "NOT NULL UNION SELECT w.source, w.first, f.line FROM walked AS w JOIN "
    "store_log_frame AS f ON f.source = w.source AND f.line BETWEEN w.line + 1 "
    "AND w.line + 3), "
    "climbed(source, last, line) AS (SELECT source, line, line FROM "
    "store_log_event WHERE role = 'benign' AND figures ->> '$.ends_traceback' "
    "IS NOT NULL UNION SELECT c.source, c.last, f.line FROM climbed AS c JOIN "
    "store_log_frame AS f ON f.source = c.source AND f.line BETWEEN c.line - 3 "
    "AND c.line - 1 WHERE NOT EXISTS (SELECT 1 FROM store_log_event AS e WHERE "
    "e.source = f.source AND e.line > f.line AND e.line < c.line AND "
    "e.signature LIKE 'python.%')), "
    "ignored AS MATERIALIZED (SELECT source, first, max(line) + 3 AS last, "
    "max(line) AS frame FROM walked GROUP BY source, first UNION ALL SELECT "
    "source, min(line) - 1, last, NULL FROM climbed GROUP BY source, last "
    "HAVING min(line) < last), "
    "ignored_event AS MATERIALIZED (SELECT e.id, e.source, e.line FROM ignored "
    "AS b JOIN store_log_event AS e ON e.source = b.source AND e.line BETWEEN "
    "b.first AND b.last WHERE e.signature LIKE 'python.%' OR e.line = (SELECT "
    "min(x.line) FROM store_log_event AS x WHERE x.source = b.source AND "
    "x.line > b.frame AND x.role IN ('cause', 'symptom')))";

Status DecideEnding(Store* store);

}  // namespace inquest::facts
