// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "corbel/corba/failure.hpp"
#include "corbel/messaging/giop/giop.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/poa/adapter_impl.hpp"
#include "corbel/poa/manager.hpp"
#include "corbel/poa/poa_impl.hpp"
#include "corbel/transport/tcp/tcp.hpp"

/// A C++ mapping of its own, as small as one can be: an ORB with its adapters that knows nothing of the mapping which
/// the library has (house.layers holds that: what is included here is below the faces).
namespace tiny {

using corbel::poa::Refused;

class Poa final : public corbel::poa::Poa {
 public:
  explicit Poa(corbel::poa::PoaMaking making) : corbel::poa::Poa(std::move(making)) {}

 private:
  void throw_refused(Refused why) const override { throw why; }
};

class Manager final : public corbel::poa::Manager {
 public:
  Manager(corbel::base::SharedPtr<corbel::poa::AdapterSpace> space, std::string id)
      : corbel::poa::Manager(std::move(space), std::move(id)) {}

 private:
  void throw_refused(Refused why) const override { throw why; }
};

class Adapter final : public corbel::poa::Adapter {
 public:
  explicit Adapter(corbel::orb::Core& core) : corbel::poa::Adapter(core, kMakers) {}
  ~Adapter() override { (void)shutdown(true, space()->core().end_deadline()); }
  corbel::base::SharedPtr<corbel::poa::Poa> root() { return space()->root(); }

 private:
  std::optional<corbel::ior::Ior> named(std::string_view) const override { return std::nullopt; }

  static corbel::base::SharedPtr<corbel::poa::Poa> make_poa(corbel::poa::PoaMaking making) {
    return corbel::base::make_shared<Poa>(std::move(making));
  }
  static corbel::base::SharedPtr<corbel::poa::Manager> make_manager(
      corbel::base::SharedPtr<corbel::poa::AdapterSpace> space, std::string id) {
    return corbel::base::make_shared<Manager>(std::move(space), std::move(id));
  }
  static corbel::corba::PolicyCorePtr make_policy(const corbel::poa::AdapterPolicies&, std::uint32_t) {
    return nullptr;
  }
  static constexpr corbel::poa::AdapterMakers kMakers{&make_poa, &make_manager, &make_policy};
};

/// Listens at a port of the loopback interface.
class Orb final : public corbel::orb::FaceCore, public corbel::cdr::Context {
 public:
  Orb() : core_(options(), {{corbel::messaging::make_giop()}, {corbel::transport::make_tcp()}, {}, {}, {}}, *this) {
    adapter_ = std::make_unique<Adapter>(core_);
    core_.set_adapter(adapter_.get());
  }
  ~Orb() {
    core_.shutdown(true);
    core_.set_adapter(nullptr);
  }
  Orb(const Orb&) = delete;
  Orb& operator=(const Orb&) = delete;

  corbel::orb::Core& core() noexcept { return core_; }
  corbel::base::SharedPtr<corbel::poa::Poa> root() { return adapter_->root(); }

  // FaceCore
  corbel::cdr::Context& context() noexcept override { return *this; }
  corbel::orb::LentPtr lend(corbel::connection::Connection& connection) override {
    struct Lent final : corbel::orb::Lent {
      Lent(Orb& orb, corbel::connection::Connection& connection) : corbel::orb::Lent(connection), orb_(orb) {}
      corbel::cdr::Context& context() noexcept override { return orb_; }
      Orb& orb_;
    };
    return corbel::base::make_shared<Lent>(*this, connection);
  }

  /// A call with a number, to whichever object.
  std::int32_t call(corbel::ior::Ior object, const corbel::corba::Operation& operation, std::int32_t argument) {
    std::int32_t result = 0;
    const auto encode = [&](corbel::cdr::Encoder& encoder) { encoder.put(argument); };
    const auto decode = [&](corbel::cdr::Decoder& decoder) { result = decoder.get<std::int32_t>(); };
    try {
      core_.make_target(std::move(object), nullptr)->invoke({operation, encode, decode, nullptr});
    } catch (...) {
      if (auto failure = corbel::corba::failure_of(std::current_exception())) throw *std::move(failure);
      throw;
    }
    return result;
  }

 private:
  static corbel::orb::Options options() {
    corbel::orb::Options options;
    options.id = "tiny";
    options.listen_endpoints = {{"", "tcp://127.0.0.1:0"}};
    return options;
  }

  corbel::orb::Core core_;
  std::unique_ptr<Adapter> adapter_;
};

}  // namespace tiny
