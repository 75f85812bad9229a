// SPDX-License-Identifier: Apache-2.0
#include "base/capped_sum.h"

#include <sqlite3.h>

#include <cstdint>
#include <string>

namespace inquest {
namespace {

// SQLite's memory is aligned for 8 bytes.
__extension__ typedef __int128 Wide __attribute__((aligned(8)));

// Zero at first, see sqlite3_aggregate_context. Wide enough for as many values
// as a table can have rows.
struct WideSum {
  Wide integers;
  double reals;
  int64_t values;
  int64_t real_values;
};

void AddToSum(sqlite3_context* context, sqlite3_value* value, int sign) {
  auto* sum = static_cast<WideSum*>(
      sqlite3_aggregate_context(context, sizeof(WideSum)));
  const int type = sqlite3_value_numeric_type(value);
  if (sum == nullptr || type == SQLITE_NULL) return;
  sum->values += sign;
  if (type == SQLITE_INTEGER) {
    sum->integers += sign * static_cast<Wide>(sqlite3_value_int64(value));
  } else {
    sum->reals += sign * sqlite3_value_double(value);
    sum->real_values += sign;
  }
}

void StepSum(sqlite3_context* context, int, sqlite3_value** values) {
  AddToSum(context, values[0], 1);
}

void InverseSum(sqlite3_context* context, int, sqlite3_value** values) {
  AddToSum(context, values[0], -1);
}

void ValueOfSum(sqlite3_context* context) {
  const auto* sum =
      static_cast<WideSum*>(sqlite3_aggregate_context(context, 0));
  if (sum == nullptr || sum->values == 0) return sqlite3_result_null(context);
  if (sum->real_values > 0) {
    return sqlite3_result_double(
        context, sum->reals + static_cast<double>(sum->integers));
  }
  Wide total = sum->integers;
  if (total > INT64_MAX) total = INT64_MAX;
  if (total < INT64_MIN) total = INT64_MIN;
  sqlite3_result_int64(context, static_cast<int64_t>(total));
}

}  // namespace

Status CapSums(Database* db) {
  if (sqlite3_create_window_function(
          db->raw(), "sum", 1,
          SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nullptr,
          StepSum, ValueOfSum, ValueOfSum, InverseSum, nullptr) == SQLITE_OK) {
    return Status::Ok();
  }
  return Internal("cannot define the function sum: " + db->LastError());
}

}  // namespace inquest
