// SPDX-License-Identifier: Apache-2.0
#include "sql.hpp"

namespace corbel::naming {

std::int64_t Connection::number(const char* sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.number(0) : 0;
}

std::string Connection::text(const char* sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.text(0) : std::string();
}

void Statement::run() {
  const Running end(*this);
  while (step()) {
  }
}

}  // namespace corbel::naming
