// SPDX-License-Identifier: Apache-2.0
#include <poll.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "postgres.hpp"

namespace corbel::naming {
namespace {

using Fault = StoreError::Fault;
using Completed = StoreError::Completed;

/// PostgreSQL's spelling of a statement.
std::string in_postgres(std::string_view sql) {
  constexpr std::string_view kNow = "{now}";
  std::string text;
  while (!sql.empty()) {
    if (sql.starts_with(kNow)) {
      text += "CAST(extract(epoch FROM statement_timestamp()) * 1000 AS BIGINT)";
      sql.remove_prefix(kNow.size());
    } else {
      text += sql.front() == '?' ? '$' : sql.front();
      sql.remove_prefix(1);
    }
  }
  return text;
}

/// What the server says, in one line.
std::string one_line(const char* text) {
  std::string said;
  for (const char c : std::string_view(text == nullptr ? "" : text)) {
    const bool space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!space) said += c;
    if (space && !said.empty() && said.back() != ' ') said += ' ';
  }
  if (!said.empty() && said.back() == ' ') said.pop_back();
  return said;
}

/// By SQLSTATE: what may be over soon. Everything else is a mistake, or a database that is full or broken.
bool is_passing(std::string_view state) {
  constexpr std::array<std::string_view, 10> kPassing = {
      "57014",                    // statement_timeout
      "57P01", "57P02", "57P03",  // it stops, or starts
      "55P03",                    // lock_timeout
      "40001", "40P01",           // serialisation, deadlock
      "53300",                    // too many connections
      "25006",                    // read only: another is the primary now
      "25P03",                    // idle in a transaction: this process was stopped for a while
  };
  return state.starts_with("08") || std::find(kPassing.begin(), kPassing.end(), state) != kPassing.end();
}

/// A session in which such a failure happened is over, or with the wrong server.
bool ends_session(std::string_view state) {
  return state.starts_with("08") || state.starts_with("57P") || state == "25006" || state == "25P03";
}

class PostgresPrepared final : public Prepared {
 public:
  PostgresPrepared(PostgresConnection& connection, std::string name, std::string sql)
      : connection_(connection), name_(std::move(name)), sql_(std::move(sql)) {}

  void bind(int parameter, std::int64_t value) override {
    auto& digits = at(parameter).digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size() - 1, value).ptr;
    *end = '\0';
    at(parameter).what = {digits.data(), 0, false};
  }
  void bind(int parameter, std::string_view octets) override {
    at(parameter).what = {octets.empty() ? "" : octets.data(), static_cast<int>(octets.size()), true};
  }
  void bind_octets(int parameter, std::string_view octets) override { bind(parameter, octets); }
  void bind_null(int parameter) override { at(parameter).what = {}; }

  bool step() override {
    if (result_ == nullptr) {
      if (!made_) connection_.make(name_, sql_);
      made_ = true;
      std::vector<PostgresConnection::Parameter> parameters;
      for (std::size_t i = 0; i < used_; ++i) parameters.push_back(slots_[i].what);
      result_ = connection_.run(name_, parameters);
      row_ = -1;
    }
    return ++row_ < PQntuples(result_.get());
  }
  void reset() noexcept override {
    result_.reset();
    used_ = 0;
  }
  std::int64_t number(int column) const override {
    const auto* const octets = reinterpret_cast<const unsigned char*>(PQgetvalue(result_.get(), row_, column));
    const int size = PQgetlength(result_.get(), row_, column);
    if (size != 4 && size != 8) return 0;
    // In big-endian order.
    std::uint64_t value = (octets[0] & 0x80) != 0 ? ~std::uint64_t{0} : 0;
    for (int i = 0; i < size; ++i) value = value << 8 | octets[i];
    return static_cast<std::int64_t>(value);
  }
  std::string text(int column) const override {
    return {PQgetvalue(result_.get(), row_, column),
            static_cast<std::size_t>(PQgetlength(result_.get(), row_, column))};
  }
  bool is_null(int column) const override { return PQgetisnull(result_.get(), row_, column) != 0; }

 private:
  struct Slot {
    PostgresConnection::Parameter what;
    std::array<char, 24> digits{};
  };
  Slot& at(int parameter) {
    used_ = std::max(used_, static_cast<std::size_t>(parameter));
    return slots_[static_cast<std::size_t>(parameter) - 1];
  }

  PostgresConnection& connection_;
  const std::string name_;
  const std::string sql_;
  std::array<Slot, 8> slots_;
  std::size_t used_ = 0;
  bool made_ = false;
  PostgresConnection::Result result_{nullptr, &PQclear};
  int row_ = -1;
};

}  // namespace

PostgresConnection::PostgresConnection(const std::string& name, const std::string& url,
                                       std::chrono::milliseconds patience)
    : name_(name), connection_(nullptr, &PQfinish), patience_(std::chrono::steady_clock::now() + patience) {
  // In whole seconds, two at least; of each host, so that one that is silent does not hide the next.
  const std::string timeout = std::to_string(std::max<std::int64_t>(2, (patience.count() + 999) / 1000));
  const char* const keywords[] = {"connect_timeout", "fallback_application_name", "dbname", nullptr};
  const char* const values[] = {timeout.c_str(), "corbel-named", url.c_str(), nullptr};
  connection_.reset(PQconnectdbParams(keywords, values, 1));
  if (connection_ == nullptr) throw std::bad_alloc();
  if (PQstatus(connection_.get()) != CONNECTION_OK) {
    throw StoreError(name_ + ": " + one_line(PQerrorMessage(connection_.get())), Fault::away);
  }
  // Remarks of the server are no business of standard error's. But a failure that comes while nothing is being done
  // comes as one of them, and is the end of the session.
  PQsetNoticeReceiver(
      connection_.get(),
      [](void* self, const PGresult* result) {
        const char* const field = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
        const std::string_view severity = field == nullptr ? "" : field;
        if (severity == "FATAL" || severity == "PANIC") static_cast<PostgresConnection*>(self)->given_up_ = true;
      },
      this);
  if (PQsetnonblocking(connection_.get(), 1) != 0) lose("is no use");
}

std::unique_ptr<Prepared> PostgresConnection::prepare(const char* sql) {
  return std::make_unique<PostgresPrepared>(*this, "s" + std::to_string(++statements_), in_postgres(sql));
}

void PostgresConnection::make(const std::string& statement, const std::string& sql) {
  answer(PQsendPrepare(connection_.get(), statement.c_str(), sql.c_str(), 0, nullptr) == 1, sql.c_str());
}

PostgresConnection::Result PostgresConnection::run(const std::string& statement,
                                                   const std::vector<Parameter>& parameters) {
  std::vector<const char*> values;
  std::vector<int> sizes;
  std::vector<int> formats;
  for (const Parameter& each : parameters) {
    values.push_back(each.octets);
    sizes.push_back(each.size);
    formats.push_back(each.binary ? 1 : 0);
  }
  Result result = answer(PQsendQueryPrepared(connection_.get(), statement.c_str(), static_cast<int>(values.size()),
                                             values.data(), sizes.data(), formats.data(), 1) == 1,
                         "cannot read or write");
  const std::string_view changed = PQcmdTuples(result.get());
  changes_ = 0;
  std::from_chars(changed.data(), changed.data() + changed.size(), changes_);
  return result;
}

void PostgresConnection::execute(const char* sql) {
  answer(PQsendQuery(connection_.get(), sql) == 1, sql);
}

void PostgresConnection::begin(Kind kind) {
  execute(kind == Kind::write ? "BEGIN" : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
}

void PostgresConnection::commit() {
  bool sent = false;
  try {
    notice_end();
    sent = usable() && PQsendQuery(connection_.get(), "COMMIT") == 1;
    const Result result = answer(sent, "COMMIT");
    if (std::string_view(PQcmdStatus(result.get())) == "COMMIT") return;
  } catch (const StoreError& error) {
    // A session that is over may have ended before the server did it, or afterwards.
    const bool maybe = sent && !usable();
    throw StoreError(error.what(), error.fault(), maybe ? Completed::maybe : Completed::no);
  }
  throw StoreError(name_ + ": rolled the transaction back", Fault::broken);
}

/// Throws if the server has ended the session while it was idle: what is sent now will not happen.
void PostgresConnection::notice_end() {
  pollfd socket = {PQsocket(connection_.get()), POLLIN, 0};
  while (::poll(&socket, 1, 0) > 0) {
    const bool there = PQconsumeInput(connection_.get()) == 1;
    PQisBusy(connection_.get());  // reads what has come
    if (!there || given_up_) lose("has ended the session");
  }
}

void PostgresConnection::roll_back() noexcept {
  try {
    if (usable() && in_transaction()) execute("ROLLBACK");
  } catch (...) {
    given_up_ = true;  // the server rolls back when the session ends
  }
}

bool PostgresConnection::in_transaction() const noexcept {
  if (!usable()) return false;
  const PGTransactionStatusType status = PQtransactionStatus(connection_.get());
  return status == PQTRANS_INTRANS || status == PQTRANS_INERROR;
}

bool PostgresConnection::usable() const noexcept {
  return !given_up_ && PQstatus(connection_.get()) == CONNECTION_OK;
}

PostgresConnection::Result PostgresConnection::answer(bool sent, const char* what) {
  if (!sent) lose(one_line(PQerrorMessage(connection_.get())));
  flush();
  Result last(nullptr, &PQclear);
  for (;;) {
    while (PQisBusy(connection_.get()) != 0) {
      wait_for(POLLIN);
      if (PQconsumeInput(connection_.get()) == 0) lose(one_line(PQerrorMessage(connection_.get())));
    }
    Result next(PQgetResult(connection_.get()), &PQclear);
    if (next == nullptr) break;
    // The first failure says why; what follows it are its consequences.
    if (last == nullptr || PQresultStatus(last.get()) != PGRES_FATAL_ERROR) last = std::move(next);
  }
  if (last == nullptr) lose("gave no answer");
  const ExecStatusType status = PQresultStatus(last.get());
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) fail(last.get(), what);
  return last;
}

void PostgresConnection::flush() {
  for (int left = PQflush(connection_.get()); left != 0; left = PQflush(connection_.get())) {
    if (left < 0) lose(one_line(PQerrorMessage(connection_.get())));
    wait_for(POLLIN | POLLOUT);
    // The server may wait for us to read.
    if (PQconsumeInput(connection_.get()) == 0) lose(one_line(PQerrorMessage(connection_.get())));
  }
}

void PostgresConnection::wait_for(short events) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(patience_ - std::chrono::steady_clock::now());
    if (left.count() <= 0) lose("did not answer in time");
    pollfd socket = {PQsocket(connection_.get()), events, 0};
    const int ready = ::poll(&socket, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 60'000)));
    if (ready > 0) return;
    if (ready < 0 && errno != EINTR) lose(std::strerror(errno));
  }
}

void PostgresConnection::fail(const PGresult* result, const char* what) {
  const char* const field = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const std::string_view state = field == nullptr ? "" : field;
  const bool lost = PQstatus(connection_.get()) != CONNECTION_OK || ends_session(state);
  if (lost) given_up_ = true;
  const char* const said = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  const std::string text = said == nullptr ? one_line(PQresultErrorMessage(result)) : one_line(said);
  const std::string_view first_line = std::string_view(what).substr(0, std::string_view(what).find('\n'));
  throw StoreError(name_ + ": " + text + " (" + std::string(first_line) + ")",
                   lost || is_passing(state) ? Fault::away : Fault::broken);
}

void PostgresConnection::lose(const std::string& why) {
  given_up_ = true;
  throw StoreError(name_ + ": " + why, Fault::away);
}

}  // namespace corbel::naming
