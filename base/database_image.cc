// SPDX-License-Identifier: Apache-2.0
// Databases that are in the program's own bytes.
#include <sqlite3.h>

#include "base/database.h"

namespace inquest {
namespace {

// SQLite does not write to a database that is opened like this.
Status ReadFrom(std::string_view image, const std::string& schema,
                Database* db) {
  auto* bytes =
      reinterpret_cast<unsigned char*>(const_cast<char*>(image.data()));
  const auto size = static_cast<sqlite3_int64>(image.size());
  if (sqlite3_deserialize(db->raw(), schema.c_str(), bytes, size, size,
                          SQLITE_DESERIALIZE_READONLY) != SQLITE_OK) {
    return Internal("cannot read the database in the program: " +
                    db->LastError());
  }
  return Status::Ok();
}

}  // namespace

Status Database::CopyImage(std::string_view image) {
  ASSIGN_OR_RETURN(Database from, OpenMemory());
  RETURN_IF_ERROR(ReadFrom(image, "main", &from));
  sqlite3_backup* copy = sqlite3_backup_init(raw(), "main", from.raw(), "main");
  if (copy != nullptr) sqlite3_backup_step(copy, -1);
  if (copy != nullptr && sqlite3_backup_finish(copy) == SQLITE_OK) {
    return Status::Ok();
  }
  return Internal("cannot copy the database in the program: " + LastError());
}

Status Database::AttachImage(const std::string& schema,
                             std::string_view image) {
  RETURN_IF_ERROR(Execute("ATTACH ':memory:' AS " + schema));
  return ReadFrom(image, schema, this);
}

}  // namespace inquest
