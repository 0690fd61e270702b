// SPDX-License-Identifier: Apache-2.0
#include "corbel/mapping/amh.hpp"

#include <utility>

#include "corbel/corba/failure.hpp"
#include "corbel/corba/minor_codes.hpp"

namespace corbel::mapping {

ResponseHandler::~ResponseHandler() {
  if (deferred_.reply != nullptr) deferred_.reply->abandon();
}

void ResponseHandler::check(unsigned operation) const {
  if (operation == deferred_.operation) return;
  corba::raise("BAD_PARAM", corba::minor::kAnswersAnother, corba::Completed::no,
               "the request is for another operation than the one that is answered");
}

void ResponseHandler::raise(unsigned operation, std::exception_ptr exception) {
  check(operation);
  if (deferred_.reply != nullptr) deferred_.reply->raise(std::move(exception));
}

}  // namespace corbel::mapping
