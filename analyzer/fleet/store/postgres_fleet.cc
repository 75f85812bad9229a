// SPDX-License-Identifier: Apache-2.0
// Results in PostgreSQL, through libpq. Values travel as text, statements are
// prepared once a connection.
#include "analyzer/fleet/store/fleet_database.h"

#ifndef INQUEST_HAVE_LIBPQ

namespace inquest::fleet {

Expected<std::unique_ptr<FleetDatabase>> OpenPostgres(const std::string&) {
  return Usage("this inquest was built without PostgreSQL")
      .WithHint("name a file for SQLite, or build it where libpq-dev is");
}

}  // namespace inquest::fleet

#else

#include <libpq-fe.h>

#include <cstdlib>
#include <map>

#include "base/text.h"

namespace inquest::fleet {
namespace {

// Numbers of types, from PostgreSQL's pg_type.dat; stable for ever.
constexpr Oid kInt8 = 20, kInt2 = 21, kInt4 = 23, kFloat4 = 700, kFloat8 = 701,
              kNumeric = 1700;

struct Clearer {
  void operator()(PGresult* result) const { PQclear(result); }
};
using PgResult = std::unique_ptr<PGresult, Clearer>;

// As the server reads it; it has no NUL in texts.
std::string TextOf(const Field& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) {
    return std::to_string(*number);
  }
  if (const auto* real = std::get_if<double>(&value)) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", *real);
    return text;
  }
  std::string text = std::get<std::string>(value);
  for (char& c : text) c = c == '\0' ? ' ' : c;
  return text;
}

Field FieldIn(const PGresult* result, int row, int column) {
  if (PQgetisnull(result, row, column) != 0) return {};
  const char* text = PQgetvalue(result, row, column);
  switch (PQftype(result, column)) {
    case kInt2:
    case kInt4:
    case kInt8:
      return int64_t{std::strtoll(text, nullptr, 10)};
    case kFloat4:
    case kFloat8:
    case kNumeric:
      return std::strtod(text, nullptr);
    default:
      return std::string(text);
  }
}

std::string Complaint(const PGconn* connection) {
  return std::string(Trim(PQerrorMessage(connection), " \t\n"));
}

class PostgresFleet : public FleetDatabase {
 public:
  explicit PostgresFleet(PGconn* connection) : connection_(connection) {}

  Status Execute(std::string_view sql) override {
    return Check(PgResult(PQexec(connection_.get(), std::string(sql).c_str())));
  }

  Status Run(const std::string& sql, const Fields& values) override {
    return Ask(sql, values).status();
  }

  Expected<Rows> Query(const std::string& sql, const Fields& values) override {
    ASSIGN_OR_RETURN(const PgResult result, Ask(sql, values));
    Rows found;
    const int columns = PQnfields(result.get());
    for (int i = 0; i < columns; ++i) {
      found.columns.emplace_back(PQfname(result.get(), i));
    }
    for (int row = 0; row < PQntuples(result.get()); ++row) {
      Fields& fields = found.rows.emplace_back();
      for (int i = 0; i < columns; ++i) {
        fields.push_back(FieldIn(result.get(), row, i));
      }
    }
    return found;
  }

  // Any number will do that no other program takes in this database.
  Status BeginAlone() override {
    return Execute("BEGIN; SELECT pg_advisory_xact_lock(7235911502)");
  }
  std::string kind() const override { return "PostgreSQL"; }

 private:
  struct Closer {
    void operator()(PGconn* connection) const { PQfinish(connection); }
  };

  Status Check(const PgResult& result) const {
    const ExecStatusType state = PQresultStatus(result.get());
    if (state == PGRES_COMMAND_OK || state == PGRES_TUPLES_OK) {
      return Status::Ok();
    }
    return Unreadable("PostgreSQL: " + Complaint(connection_.get()));
  }

  Expected<std::string> Prepared(const std::string& sql) {
    const auto known = names_.find(sql);
    if (known != names_.end()) return known->second;
    const std::string name = "s" + std::to_string(names_.size());
    RETURN_IF_ERROR(Check(PgResult(
        PQprepare(connection_.get(), name.c_str(), sql.c_str(), 0, nullptr))));
    names_.emplace(sql, name);
    return name;
  }

  Expected<PgResult> Ask(const std::string& sql, const Fields& values) {
    ASSIGN_OR_RETURN(const std::string name, Prepared(sql));
    std::vector<std::string> texts;
    for (const Field& value : values) {
      texts.push_back(value.index() == 0 ? "" : TextOf(value));
    }
    std::vector<const char*> pointers;
    for (size_t i = 0; i < values.size(); ++i) {
      pointers.push_back(values[i].index() == 0 ? nullptr : texts[i].c_str());
    }
    PgResult result(PQexecPrepared(connection_.get(), name.c_str(),
                                   static_cast<int>(values.size()),
                                   pointers.data(), nullptr, nullptr, 0));
    RETURN_IF_ERROR(Check(result));
    return Expected<PgResult>(std::move(result));
  }

  std::unique_ptr<PGconn, Closer> connection_;
  std::map<std::string, std::string> names_;  // of prepared statements, by SQL
};

}  // namespace

Expected<std::unique_ptr<FleetDatabase>> OpenPostgres(
    const std::string& where) {
  PGconn* connection = PQconnectdb(where.c_str());
  auto fleet = std::make_unique<PostgresFleet>(connection);
  if (PQstatus(connection) != CONNECTION_OK) {
    return Unreadable("cannot reach PostgreSQL: " + Complaint(connection))
        .WithHint(
            "--database takes libpq's connection strings; passwords belong "
            "into ~/.pgpass");
  }
  RETURN_IF_ERROR(fleet->Execute(
      "SET client_encoding = 'UTF8'; SET client_min_messages = warning"));
  std::unique_ptr<FleetDatabase> opened = std::move(fleet);
  return Expected<std::unique_ptr<FleetDatabase>>(std::move(opened));
}

}  // namespace inquest::fleet

#endif
