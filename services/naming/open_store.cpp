// SPDX-License-Identifier: Apache-2.0
#include "open_store.hpp"

#include <utility>

#include "sqlite.hpp"
#ifdef CORBEL_NAMING_ETCD
#include "etcd_store.hpp"
#endif
#ifdef CORBEL_NAMING_POSTGRESQL
#include "postgres.hpp"
#endif

namespace corbel::naming {

bool is_etcd(const std::string& url) {
  return url.starts_with("etcd://") || url.starts_with("etcds://");
}

std::unique_ptr<Store> open_store(const StorePlace& place, StoreLimits limits, SqlStore::Tell tell) {
  if (!is_etcd(place.url)) return open_sql_store(place, limits, std::move(tell));
#ifdef CORBEL_NAMING_ETCD
  return std::make_unique<EtcdStore>(place.url, limits, place.patience,
                                     EtcdOptions{place.connect_patience, place.connections + 1, place.security},
                                     std::move(tell));
#else
  throw StoreError("this corbel-named was built without etcd (Debian: libcurl4-openssl-dev)",
                   StoreError::Fault::broken);
#endif
}

std::unique_ptr<SqlStore> open_sql_store(const StorePlace& place, StoreLimits limits, SqlStore::Tell tell) {
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
