// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "attack.hpp"
#include "program.hpp"

namespace attack {
namespace {

using Clock = std::chrono::steady_clock;
using LedgerRef = IDL::traits<Attack::Ledger>::ref_type;
using OrbRef = IDL::traits<CORBA::ORB>::ref_type;

constexpr std::size_t kInFlight = 8;
constexpr const char* kKinds[] = {"sync", "async", "oneway"};

/// Nothing was asked of the object: it was not found.
struct Unresolved : std::runtime_error {
  explicit Unresolved(const CORBA::SystemException& why)
      : std::runtime_error(std::string(why._name()) + ' ' + why.detail()) {}
};

struct Outcome {
  std::uint64_t id;
  std::string text;
};

/// One thread: one reference, one kind of call. A reference that is only named (corbaname) is resolved for every round.
class Caller {
 public:
  Caller(std::size_t number, std::size_t kind, const OrbRef& orb, std::string reference)
      : number_(number), kind_(kind), orb_(orb), reference_(std::move(reference)) {
    if (!named_) resolve();
  }

  void run(const std::atomic<bool>& settle) {
    while (!settle.load()) {
      one_round();
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
    const auto end = Clock::now() + std::chrono::seconds(60);
    while (!alive_ && Clock::now() < end) {
      alive_ = one_round();
      if (!alive_) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  void report(std::ostream& out) const {
    for (const auto& outcome : outcomes_) out << outcome.id << ' ' << kKinds[kind_] << ' ' << outcome.text << '\n';
    if (!alive_)
      out << "0 " << kKinds[kind_] << " BROKEN reference " << number_ / 3 << ": " << outcomes_.back().text << '\n';
  }

 private:
  void resolve() { ledger_ = IDL::traits<Attack::Ledger>::unchecked_narrow(orb_->string_to_object(reference_)); }

  bool one_round() {
    if (named_ && !noted(
                      next(),
                      [&] {
                        try {
                          resolve();
                        } catch (const CORBA::SystemException& exception) {
                          throw Unresolved(exception);
                        }
                      },
                      false))
      return false;
    if (kind_ == 1) return several();
    const std::uint64_t id = next();
    return noted(id, [&] {
      if (kind_ == 2) return ledger_->note(id);
      if (ledger_->enter(id) != id) throw std::runtime_error("the reply of another call");
    });
  }

  bool several() {
    std::vector<std::pair<std::uint64_t, corbel::Future<std::uint64_t>>> under_way;
    bool good = true;
    for (std::size_t i = 0; i < kInFlight; ++i) {
      const std::uint64_t id = next();
      good = noted(
                 id, [&] { under_way.emplace_back(id, ledger_->async_enter(id)); }, false) &&
             good;
    }
    for (auto& [id, future] : under_way) {
      good = noted(id,
                   [&reply = future, entered = id] {
                     if (reply.get() != entered) throw std::runtime_error("the reply of another call");
                   }) &&
             good;
    }
    return good;
  }

  /// True if the call came back without an exception.
  template <class Call>
  bool noted(std::uint64_t id, const Call& call, bool note_success = true) {
    try {
      call();
      if (note_success) outcomes_.push_back({id, "OK"});
      return true;
    } catch (const Unresolved& unresolved) {
      outcomes_.push_back({id, std::string("NO unresolved: ") + unresolved.what()});
    } catch (const CORBA::SystemException& exception) {
      static constexpr const char* kStatus[] = {"YES", "NO", "MAYBE"};
      outcomes_.push_back({id, std::string(kStatus[static_cast<std::size_t>(exception.completed())]) + ' ' +
                                   exception._name() + ' ' + exception.detail()});
    } catch (const std::exception& exception) {
      outcomes_.push_back({id, std::string("WRONG ") + exception.what()});
    }
    return false;
  }

  std::uint64_t next() { return (static_cast<std::uint64_t>(number_) + 1) << 40 | ++count_; }

  const std::size_t number_;
  const std::size_t kind_;
  const OrbRef orb_;
  const std::string reference_;
  const bool named_ = reference_.starts_with("corbaname:");
  LedgerRef ledger_;
  std::uint64_t count_ = 0;
  bool alive_ = false;
  std::vector<Outcome> outcomes_;
};

}  // namespace

int clients(int argc, char** argv) {
  auto orb = CORBA::ORB_init(argc, argv, "clients");
  if (argc < 4) return 2;
  const auto first = static_cast<std::size_t>(std::stoul(argv[2]));  // others have the numbers below
  std::vector<std::unique_ptr<Caller>> callers;
  for (int i = 3; i < argc; ++i) {
    for (std::size_t kind = 0; kind < 3; ++kind) {
      callers.push_back(std::make_unique<Caller>(first + callers.size(), kind, orb, argv[i]));
    }
  }
  std::atomic<bool> settle{false};
  std::vector<std::thread> threads;
  for (const auto& caller : callers) threads.emplace_back([&] { caller->run(settle); });
  std::cout << "CALLING" << std::endl;
  for (std::string word; std::cin >> word && word != "settle";) {
  }
  settle = true;
  for (auto& thread : threads) thread.join();
  std::ofstream out(argv[1]);
  for (const auto& caller : callers) caller->report(out);
  orb->destroy();
  return out.good() ? 0 : 1;
}

}  // namespace attack
