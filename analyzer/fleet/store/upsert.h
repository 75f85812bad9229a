// SPDX-License-Identifier: Apache-2.0
// Structs as rows of a fleet's table, replaced where the key is there already.
// The columns are named in the struct, as in base/rows.h.
//
//   RETURN_IF_ERROR(Upsert(db, "fleet_job", "job", row));
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "analyzer/fleet/store/fleet_database.h"

namespace inquest::fleet {

template <class T>
Field AsField(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return int64_t{value};
  } else {
    return value;
  }
}
template <class T>
Field AsField(const std::optional<T>& value) {
  return value ? AsField(*value) : Field();
}

namespace upsert_internal {

inline bool IsKey(std::string_view keys, std::string_view name) {
  const std::string padded = ", " + std::string(keys) + ", ";
  return padded.find(", " + std::string(name) + ", ") != padded.npos;
}

}  // namespace upsert_internal

// `keys` of the table's primary key: "run, rules".
template <class Row>
Status Upsert(FleetDatabase* db, std::string_view table, std::string_view keys,
              const Row& row) {
  std::string names, marks, updates;
  Fields values;
  auto take = [&](std::string_view name, const auto& value) {
    values.push_back(AsField(value));
    names.append(names.empty() ? "" : ", ").append(name);
    marks.append(marks.empty() ? "$" : ", $")
        .append(std::to_string(values.size()));
    if (upsert_internal::IsKey(keys, name)) return;
    updates.append(updates.empty() ? "" : ", ").append(name);
    updates.append(" = excluded.").append(name);
  };
  const_cast<Row&>(row).Columns(take);
  const std::string sql =
      "INSERT INTO " + std::string(table) + " (" + names + ") VALUES (" +
      marks + ") ON CONFLICT (" + std::string(keys) + ") DO " +
      (updates.empty() ? "NOTHING" : "UPDATE SET " + updates);
  return db->Run(sql, values);
}

}  // namespace inquest::fleet
