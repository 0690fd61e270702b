// SPDX-License-Identifier: Apache-2.0
// The statements of the store; for its own sources only.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "sql_store.hpp"

namespace corbel::naming {

struct SqlStore::Reader {
  explicit Reader(std::unique_ptr<Connection> made) : connection(std::move(made)) {}

  std::unique_ptr<Connection> connection;
  Statement exists{*connection, "SELECT 1 FROM context WHERE id = ?1"};
  Statement find{*connection,
                 "SELECT is_context, child, reference FROM binding WHERE context = ?1 AND id = ?2 AND kind = ?3 "
                 "AND (ends IS NULL OR ends > {now})"};
  Statement first{*connection,
                  "SELECT id, kind, is_context FROM binding WHERE context = ?1 AND (ends IS NULL OR ends > {now}) "
                  "ORDER BY id, kind LIMIT ?2"};
  Statement next{*connection,
                 "SELECT id, kind, is_context FROM binding WHERE context = ?1 AND (id, kind) > (?3, ?4) "
                 "AND (ends IS NULL OR ends > {now}) ORDER BY id, kind LIMIT ?2"};
  Statement ended{*connection, "SELECT 1 FROM binding WHERE ends <= {now} LIMIT 1"};
};

/// The statements of changes, made when there are tables.
struct SqlStore::Writer {
  Writer(std::unique_ptr<Connection> made, bool shared) : connection(std::move(made)) {
    if (!shared) return;
    totals.emplace(*connection, "SELECT contexts, bindings FROM total FOR UPDATE");
    new_totals.emplace(*connection, "UPDATE total SET contexts = ?1, bindings = ?2");
  }

  std::unique_ptr<Connection> connection;
  Statement context{*connection, "SELECT bindings FROM context WHERE id = ?1"};
  Statement find{*connection,
                 "SELECT is_context, lease, CASE WHEN ends <= {now} THEN 1 ELSE 0 END FROM binding "
                 "WHERE context = ?1 AND id = ?2 AND kind = ?3"};
  Statement insert{*connection,
                   "INSERT INTO binding(context, id, kind, is_context, child, reference, lease, ends) "
                   "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, {now} + ?8)"};
  Statement replace{*connection,
                    "UPDATE binding SET child = ?5, reference = ?6, lease = ?7, ends = {now} + ?8 "
                    "WHERE context = ?1 AND id = ?2 AND kind = ?3 AND is_context = ?4"};
  Statement renew{*connection,
                  "UPDATE binding SET ends = {now} + ?5 WHERE context = ?1 AND id = ?2 AND kind = ?3 AND lease = ?4"};
  Statement remove{*connection, "DELETE FROM binding WHERE context = ?1 AND id = ?2 AND kind = ?3"};
  Statement count{*connection, "UPDATE context SET bindings = bindings + ?2 WHERE id = ?1"};
  Statement make{*connection, "INSERT INTO context(id, made) VALUES(?1, {now} / 1000)"};
  Statement destroy{*connection, "DELETE FROM context WHERE id = ?1"};
  Statement prune{*connection,
                  "DELETE FROM context WHERE bindings = 0 AND id != 1 AND made <= {now} / 1000 - ?1 "
                  "AND id NOT IN (SELECT child FROM binding WHERE child IS NOT NULL)"};
  Statement now{*connection, "SELECT {now}"};
  Statement uncount_ended{*connection,
                          "UPDATE context SET bindings = bindings - (SELECT count(*) FROM binding WHERE "
                          "binding.context = context.id AND ends <= ?1) "
                          "WHERE id IN (SELECT context FROM binding WHERE ends <= ?1)"};
  Statement remove_ended{*connection, "DELETE FROM binding WHERE ends <= ?1"};
  // One change among those that share a transaction.
  Statement mark{*connection, "SAVEPOINT change"};
  Statement undo{*connection, "ROLLBACK TO change"};
  Statement keep{*connection, "RELEASE change"};
  // Of a store that others change, too: they wait from the one to the end of the transaction.
  std::optional<Statement> totals;
  std::optional<Statement> new_totals;
};

}  // namespace corbel::naming
