// SPDX-License-Identifier: Apache-2.0
#include "open_store.hpp"

#include <utility>

#include "sqlite.hpp"
#ifdef CORBEL_NAMING_POSTGRESQL
#include "postgres.hpp"
#endif

namespace corbel::naming {

std::unique_ptr<SqlStore> open_store(const StorePlace& place, StoreLimits limits, SqlStore::Tell tell) {
  if (place.url.empty()) {
    return std::make_unique<SqlStore>(std::make_unique<Sqlite>(place.data, place.durability), limits, std::move(tell));
  }
#ifdef CORBEL_NAMING_POSTGRESQL
  return std::make_unique<SqlStore>(
      std::make_unique<Postgres>(
          place.url, PostgresOptions{place.durability, place.patience, place.connect_patience, place.connections}),
      limits, std::move(tell));
#else
  throw StoreError("this corbel-named was built without PostgreSQL (Debian: libpq-dev)", StoreError::Fault::broken);
#endif
}

}  // namespace corbel::naming
