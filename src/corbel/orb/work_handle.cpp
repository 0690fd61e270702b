// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/work_handle.hpp"

#include <utility>

#include "corbel/ipc/socket.hpp"
#include "corbel/orb/face.hpp"

namespace corbel::orb {

WorkHandle::WorkHandle(CORBA::ORB& orb, Of what)
    : orb_(face_of(orb._core()).orb()), what_(what), descriptor_(orb._core().take_pollable(what == Of::main_thread)) {}

WorkHandle::~WorkHandle() {
  give_back();
}

WorkHandle::WorkHandle(WorkHandle&& other) noexcept
    : orb_(std::exchange(other.orb_, nullptr)), what_(other.what_), descriptor_(std::exchange(other.descriptor_, -1)) {}

WorkHandle& WorkHandle::operator=(WorkHandle&& other) noexcept {
  if (this != &other) {
    give_back();
    orb_ = std::exchange(other.orb_, nullptr);
    what_ = other.what_;
    descriptor_ = std::exchange(other.descriptor_, -1);
  }
  return *this;
}

void WorkHandle::give_back() noexcept {
  if (orb_ != nullptr) orb_->_core().give_pollable(what_ == Of::main_thread);
}

std::size_t WorkHandle::dispatch(std::size_t most) {
  Core& core = orb_->_core();
  return what_ == Of::main_thread ? core.perform_main_work(most) : core.perform_work(most);
}

bool WorkHandle::pending() const noexcept {
  return static_cast<bool>(
      ipc::wait_ready(descriptor_, ipc::Ready::readable, base::Deadline::now(), base::Stage::wait));
}

bool WorkHandle::ended() const noexcept {
  if (orb_ == nullptr) return true;
  const Core& core = orb_->_core();
  return what_ == Of::main_thread ? core.is_shut_down() : core.ended();
}

}  // namespace corbel::orb
