// SPDX-License-Identifier: Apache-2.0
// Which kinds of store there are.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "sql_store.hpp"

namespace corbel::naming {

/// Where names are kept, and how.
struct StorePlace {
  std::string data{};  ///< a file of SQLite's
  std::string url{};   ///< or, if not empty, a database of PostgreSQL: postgresql://... or KEYWORD=VALUE ...
  Durability durability = Durability::power_loss;
  // Of PostgreSQL:
  std::chrono::milliseconds patience = std::chrono::seconds(10);         ///< for one change or look
  std::chrono::milliseconds connect_patience = std::chrono::seconds(5);  ///< for one attempt to connect
  std::size_t connections = 16;  ///< that look at the same time; one more makes the changes
};

/// Opens the store, or makes it. Throws StoreError, also if this program was built without that kind.
std::unique_ptr<SqlStore> open_store(const StorePlace& place, StoreLimits limits, SqlStore::Tell tell = nullptr);

}  // namespace corbel::naming
