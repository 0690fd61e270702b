// SPDX-License-Identifier: Apache-2.0
// Which kinds of store there are.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "etcd_connection.hpp"
#include "sql_store.hpp"

namespace corbel::naming {

/// Where names are kept, and how.
struct StorePlace {
  std::string data{};  ///< a file of SQLite's
  std::string url{};   ///< or, if not empty, etcd://..., etcds://..., or a database of PostgreSQL as libpq takes it
  Durability durability = Durability::power_loss;
  // Of etcd and PostgreSQL:
  std::chrono::milliseconds patience = std::chrono::seconds(10);         ///< for one change or look
  std::chrono::milliseconds connect_patience = std::chrono::seconds(5);  ///< for one attempt to connect
  std::size_t connections = 16;  ///< that look at the same time; one more makes the changes
  EtcdSecurity security{};       ///< of etcd alone
};

/// Opens the store, or makes it. `tell` gets a line for people when it goes away and comes back; by any thread. Throws
/// StoreError, also if this program was built without that kind.
std::unique_ptr<Store> open_store(const StorePlace& place, StoreLimits limits, SqlStore::Tell tell = nullptr);
/// Likewise what is no etcd.
std::unique_ptr<SqlStore> open_sql_store(const StorePlace& place, StoreLimits limits, SqlStore::Tell tell = nullptr);
/// True if the URL is one of etcd's.
bool is_etcd(const std::string& url);

}  // namespace corbel::naming
