// SPDX-License-Identifier: Apache-2.0
#include "corbel/mapping/amh.hpp"

#include <utility>

#include "corbel/corba/exception.hpp"
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

void ResponseHandler::_raise_thrown(std::exception_ptr exception) noexcept {
  if (deferred_.reply == nullptr) return;
  try {
    deferred_.reply->raise(std::move(exception));
  } catch (const CORBA::SystemException&) {  // it has been answered, and the ORB with its log may be gone since
  }
}

void ResponseHandler::raise(unsigned operation, std::exception_ptr exception) {
  check(operation);
  if (deferred_.reply != nullptr) deferred_.reply->raise(std::move(exception));
}

}  // namespace corbel::mapping
