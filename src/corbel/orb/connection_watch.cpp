// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/connection_watch.hpp"

#include <new>
#include <system_error>
#include <utility>

#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/error_map.hpp"
#include "corbel/orb/orb.hpp"

namespace corbel::orb {

ConnectionWatch::ConnectionWatch(CORBA::ORB& orb, CallBack call_back) {
  Core& core = orb._core();
  core.check_process();
  if (core.is_shut_down()) core.refuse_call();
  if (!call_back) {
    throw CORBA::BAD_PARAM(corba::vendor_minor(base::Stage::configure, base::Code::bad_argument),
                           CORBA::CompletionStatus::COMPLETED_NO, "nothing to call when connections change");
  }
  try {
    watcher_ = core.watchers()->add(std::move(call_back));
  } catch (const std::system_error& error) {
    raise(base::error(base::Stage::configure, base::Code::out_of_resources, error.code().value()),
          "starting a thread that watches connections");
  }
  if (watcher_ == nullptr) core.refuse_call();
  watchers_ = core.watchers();
}

ConnectionWatch::~ConnectionWatch() {
  end();
}

ConnectionWatch::ConnectionWatch(ConnectionWatch&& other) noexcept = default;

ConnectionWatch& ConnectionWatch::operator=(ConnectionWatch&& other) noexcept {
  if (this != &other) {
    end();
    watchers_ = std::move(other.watchers_);
    watcher_ = std::move(other.watcher_);
  }
  return *this;
}

void ConnectionWatch::end() noexcept {
  if (watcher_ != nullptr) watchers_->remove(watcher_);
  watcher_ = nullptr;
  watchers_ = nullptr;
}

}  // namespace corbel::orb
