// SPDX-License-Identifier: Apache-2.0
#include "trace/store/plain_tables.h"

namespace inquest::trace {
namespace {

// Only the schema is read, so nothing of it runs. Virtual tables have no page
// of their own; the column -2 of an index is an expression.
constexpr char kOthers[] =
    "SELECT CASE WHEN type='table' THEN 'virtual table' ELSE type END, name "
    "FROM {}.sqlite_schema WHERE type NOT IN ('table','index') OR "
    "(type='table' AND coalesce(rootpage,0)<=0)";
constexpr char kGenerated[] =
    "SELECT 'generated column', t.name||'.'||c.name FROM {}.sqlite_schema t, "
    "pragma_table_xinfo(t.name,'{}') c WHERE t.type='table' AND c.hidden<>0";
constexpr char kExpressions[] =
    "SELECT 'index over an expression', i.name FROM {}.sqlite_schema i, "
    "pragma_index_xinfo(i.name,'{}') c WHERE i.type='index' AND (c.cid=-2 OR "
    "i.sql LIKE '%WHERE%')";
std::string For(const std::string& schema, std::string sql) {
  for (size_t at = sql.find("{}"); at != sql.npos; at = sql.find("{}", at)) {
    sql.replace(at, 2, schema);
  }
  return sql;
}

}  // namespace

Status CheckPlainTables(Database* db, const std::string& schema) {
  for (const char* sql : {kOthers, kGenerated, kExpressions}) {
    ASSIGN_OR_RETURN(Statement row, db->Prepare(For(schema, sql)));
    if (std::string kind, name; row.Next(&kind, &name)) {
      return Unreadable("it has a " + kind + " '" + name +
                        "'; a trace of inquest has plain tables only")
          .WithHint("if you added it, drop it in a copy of the trace");
    }
    RETURN_IF_ERROR(row.status());
  }
  return Status::Ok();
}

}  // namespace inquest::trace
