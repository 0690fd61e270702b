// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/socket_hook.hpp"

#include <utility>

#include "corbel/connection/socket_hooks.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/error_map.hpp"
#include "corbel/orb/orb.hpp"

namespace corbel::orb {

SocketHook::SocketHook(CORBA::ORB& orb, CallBack call_back) {
  Core& core = orb._core();
  core.check_process();
  if (core.is_shut_down()) core.refuse_call();
  if (!call_back) {
    raise(base::error(base::Stage::configure, base::Code::bad_argument), "nothing to call when there is a socket");
  }
  hook_ = std::make_shared<connection::SocketHook>(std::move(call_back));
  core.socket_hooks()->add(hook_);
  hooks_ = core.socket_hooks();
}

SocketHook::~SocketHook() {
  end();
}

SocketHook::SocketHook(SocketHook&& other) noexcept = default;

SocketHook& SocketHook::operator=(SocketHook&& other) noexcept {
  if (this != &other) {
    end();
    hooks_ = std::move(other.hooks_);
    hook_ = std::move(other.hook_);
  }
  return *this;
}

void SocketHook::end() noexcept {
  if (hook_ != nullptr) hooks_->remove(hook_);
  hook_ = nullptr;
  hooks_ = nullptr;
}

}  // namespace corbel::orb
