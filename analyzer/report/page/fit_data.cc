// SPDX-License-Identifier: Apache-2.0
// Which of the versions seen fit each other, by the facts about releases and by
// what libraries say of themselves. What these do not know has no row.
#include "analyzer/report/page/page_data.h"

namespace inquest::report {
namespace {

constexpr size_t kFitsShown = 100;

// A driver runs programs of a toolkit older than its release, and those of a
// newer one of the same major release but for PTX.
constexpr const char* kFits = R"(
WITH seen AS (SELECT DISTINCT what, version, number, minor FROM version_seen),
driver AS (
  SELECT 'CUDA ' || c.version AS what,
         'driver ' || coalesce(r.driver, r.least_driver) || ' or later'
           AS needs,
         'driver ' || d.version AS found,
         CASE WHEN d.number >=
                   version_number(coalesce(r.driver, r.least_driver))
                THEN 'fits'
              WHEN d.number >= version_number(r.least_driver)
                THEN 'fits, but for PTX and newer features'
              ELSE 'does not fit' END AS result
    FROM seen AS c JOIN cuda_release AS r ON r.number = c.minor
    JOIN seen AS d ON d.what = 'driver'
   WHERE c.what = 'cuda'
), gpu AS (
  SELECT 'GPU of capability ' || g.version,
         'CUDA ' || a.first_cuda ||
           coalesce(' to ' || a.last_cuda, ' or later'),
         'CUDA ' || c.version,
         CASE WHEN c.minor < version_number(a.first_cuda)
                THEN 'fits only by PTX, compiled for it at the start'
              WHEN c.minor > version_number(a.last_cuda) THEN 'does not fit'
              ELSE 'fits' END
    FROM seen AS g JOIN gpu_architecture AS a ON a.number = g.minor
    JOIN seen AS c ON c.what = 'cuda'
   WHERE g.what = 'capability'
), cudnn AS (
  SELECT 'cuDNN ' || n.version,
         'CUDA ' || group_concat(r.first_cuda ||
           iif(r.last_cuda LIKE '%.99', ' and later', ' to ' || r.last_cuda),
           ', '),
         'CUDA ' || c.version,
         CASE WHEN max(c.minor BETWEEN version_number(r.first_cuda)
                                   AND version_number(r.last_cuda))
                THEN 'fits'
              WHEN c.minor > max(version_number(r.last_cuda))
                THEN 'made before this CUDA'
              ELSE 'does not fit' END
    FROM seen AS n JOIN cudnn_release AS r ON r.number = n.minor
    JOIN seen AS c ON c.what = 'cuda'
   WHERE n.what = 'cudnn' GROUP BY n.version, c.version
), built AS (
  SELECT DISTINCT l.name, 'as built against: ' || l.compiled_version,
         l.version,
         iif(CAST(l.version AS INTEGER) = CAST(l.compiled_version AS INTEGER)
             AND version_number(l.version) >=
                 version_number(l.compiled_version), 'fits', 'does not fit')
    FROM library AS l
   WHERE l.version IS NOT NULL AND l.compiled_version IS NOT NULL
), parts AS (
  SELECT 'parts of cuDNN', 'one release',
         group_concat(name || ' ' || version, ', '),
         iif(count(DISTINCT version) = 1, 'fits', 'does not fit')
    FROM (SELECT DISTINCT process, name, version FROM library
           WHERE name LIKE 'libcudnn%' AND version IS NOT NULL ORDER BY name)
   GROUP BY process HAVING count(*) > 1
)
SELECT * FROM (
  SELECT * FROM driver UNION SELECT * FROM gpu UNION SELECT * FROM cudnn
   UNION SELECT * FROM built UNION SELECT * FROM parts)
 ORDER BY result <> 'does not fit', 1
)";

}  // namespace

Expected<nlohmann::json> FitData(const PageSource& source) {
  return Rows(source, kFits, kFitsShown);
}

}  // namespace inquest::report
