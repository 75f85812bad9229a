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

#include <dlfcn.h>
#include <libpq-fe.h>

#include <cstdlib>
#include <map>
#include <type_traits>

#include "base/text.h"

namespace inquest::fleet {
namespace {

// Numbers of types, from PostgreSQL's pg_type.dat; stable for ever.
constexpr Oid kInt8 = 20, kInt2 = 21, kInt4 = 23, kFloat4 = 700, kFloat8 = 701,
              kNumeric = 1700;

// libpq is loaded when it is asked for: it brings twenty libraries along, of
// TLS, Kerberos and LDAP, and nearly no use of this program needs them.
struct Libpq {
  decltype(&PQclear) clear = nullptr;
  decltype(&PQconnectdb) connect = nullptr;
  decltype(&PQerrorMessage) error_message = nullptr;
  decltype(&PQexec) exec = nullptr;
  decltype(&PQexecPrepared) exec_prepared = nullptr;
  decltype(&PQfinish) finish = nullptr;
  decltype(&PQfname) fname = nullptr;
  decltype(&PQftype) ftype = nullptr;
  decltype(&PQgetisnull) getisnull = nullptr;
  decltype(&PQgetvalue) getvalue = nullptr;
  decltype(&PQnfields) nfields = nullptr;
  decltype(&PQntuples) ntuples = nullptr;
  decltype(&PQprepare) prepare = nullptr;
  decltype(&PQresultStatus) result_status = nullptr;
  decltype(&PQstatus) status = nullptr;
};

Libpq& Pq() {
  static Libpq pq;
  return pq;
}

bool FillLibpq(void* library, Libpq* pq) {
  const auto find = [library](const char* name, auto* function) {
    *function = reinterpret_cast<std::remove_pointer_t<decltype(function)>>(
        dlsym(library, name));
    return *function != nullptr;
  };
  return find("PQclear", &pq->clear) && find("PQconnectdb", &pq->connect) &&
         find("PQerrorMessage", &pq->error_message) &&
         find("PQexec", &pq->exec) &&
         find("PQexecPrepared", &pq->exec_prepared) &&
         find("PQfinish", &pq->finish) && find("PQfname", &pq->fname) &&
         find("PQftype", &pq->ftype) && find("PQgetisnull", &pq->getisnull) &&
         find("PQgetvalue", &pq->getvalue) && find("PQnfields", &pq->nfields) &&
         find("PQntuples", &pq->ntuples) && find("PQprepare", &pq->prepare) &&
         find("PQresultStatus", &pq->result_status) &&
         find("PQstatus", &pq->status);
}

Status LoadLibpq() {
  void* library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr && FillLibpq(library, &Pq())) return Status::Ok();
  return Usage("PostgreSQL's client library cannot be used: " +
               std::string(library == nullptr ? dlerror() : "too old"))
      .WithHint("install libpq5, or name a file for SQLite");
}

struct Clearer {
  void operator()(PGresult* result) const { Pq().clear(result); }
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
  if (Pq().getisnull(result, row, column) != 0) return {};
  const char* text = Pq().getvalue(result, row, column);
  switch (Pq().ftype(result, column)) {
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
  return std::string(Trim(Pq().error_message(connection), " \t\n"));
}

class PostgresFleet : public FleetDatabase {
 public:
  explicit PostgresFleet(PGconn* connection) : connection_(connection) {}

  Status Execute(std::string_view sql) override {
    return Check(
        PgResult(Pq().exec(connection_.get(), std::string(sql).c_str())));
  }

  Status Run(const std::string& sql, const Fields& values) override {
    return Ask(sql, values).status();
  }

  Expected<Rows> Query(const std::string& sql, const Fields& values) override {
    ASSIGN_OR_RETURN(const PgResult result, Ask(sql, values));
    Rows found;
    const int columns = Pq().nfields(result.get());
    for (int i = 0; i < columns; ++i) {
      found.columns.emplace_back(Pq().fname(result.get(), i));
    }
    for (int row = 0; row < Pq().ntuples(result.get()); ++row) {
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
    void operator()(PGconn* connection) const { Pq().finish(connection); }
  };

  Status Check(const PgResult& result) const {
    const ExecStatusType state = Pq().result_status(result.get());
    if (state == PGRES_COMMAND_OK || state == PGRES_TUPLES_OK) {
      return Status::Ok();
    }
    return Unreadable("PostgreSQL: " + Complaint(connection_.get()));
  }

  Expected<std::string> Prepared(const std::string& sql) {
    const auto known = names_.find(sql);
    if (known != names_.end()) return known->second;
    const std::string name = "s" + std::to_string(names_.size());
    RETURN_IF_ERROR(Check(PgResult(Pq().prepare(connection_.get(), name.c_str(),
                                                sql.c_str(), 0, nullptr))));
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
    PgResult result(Pq().exec_prepared(connection_.get(), name.c_str(),
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
  RETURN_IF_ERROR(LoadLibpq());
  PGconn* connection = Pq().connect(where.c_str());
  auto fleet = std::make_unique<PostgresFleet>(connection);
  if (Pq().status(connection) != CONNECTION_OK) {
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
