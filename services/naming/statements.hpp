// SPDX-License-Identifier: Apache-2.0
// The statements of the store; for its own sources only.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "store.hpp"

namespace corbel::naming {

inline std::uint64_t random_number() {
  std::random_device source;
  return static_cast<std::uint64_t>(source()) << 32 | source();
}

struct Store::Reader {
  explicit Reader(const std::string& path) : connection(path, Connection::Mode::read) {}

  Connection connection;
  Statement exists{connection, "SELECT 1 FROM context WHERE id = ?1"};
  Statement find{connection,
                 "SELECT is_context, child, reference FROM binding WHERE context = ?1 AND id = ?2 AND kind = ?3"};
  Statement first{connection, "SELECT id, kind, is_context FROM binding WHERE context = ?1 ORDER BY id, kind LIMIT ?2"};
  Statement next{connection,
                 "SELECT id, kind, is_context FROM binding WHERE context = ?1 AND (id, kind) > (?3, ?4) "
                 "ORDER BY id, kind LIMIT ?2"};
};

/// The statements of changes, made when there are tables.
struct Store::Writer {
  explicit Writer(Connection& database) : connection(database) {}

  Connection& connection;
  Statement context{connection, "SELECT bindings FROM context WHERE id = ?1"};
  Statement find{connection, "SELECT is_context FROM binding WHERE context = ?1 AND id = ?2 AND kind = ?3"};
  Statement insert{
      connection,
      "INSERT INTO binding(context, id, kind, is_context, child, reference) VALUES(?1, ?2, ?3, ?4, ?5, ?6)"};
  Statement replace{connection,
                    "UPDATE binding SET child = ?5, reference = ?6 WHERE context = ?1 AND id = ?2 AND kind = ?3 "
                    "AND is_context = ?4"};
  Statement remove{connection, "DELETE FROM binding WHERE context = ?1 AND id = ?2 AND kind = ?3"};
  Statement count{connection, "UPDATE context SET bindings = bindings + ?2 WHERE id = ?1"};
  Statement make{connection, "INSERT INTO context(id, made) VALUES(?1, CAST(strftime('%s', 'now') AS INTEGER))"};
  Statement destroy{connection, "DELETE FROM context WHERE id = ?1"};
  Statement prune{
      connection,
      "DELETE FROM context WHERE bindings = 0 AND id != 1 AND made <= CAST(strftime('%s', 'now') AS INTEGER) - ?1 "
      "AND id NOT IN (SELECT child FROM binding WHERE child IS NOT NULL)"};
  // One change among those that share a transaction.
  Statement mark{connection, "SAVEPOINT change"};
  Statement undo{connection, "ROLLBACK TO change"};
  Statement keep{connection, "RELEASE change"};
};

}  // namespace corbel::naming
