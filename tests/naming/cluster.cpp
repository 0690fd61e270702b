// SPDX-License-Identifier: Apache-2.0
// Three corbel-named share a database of PostgreSQL, or an etcd of one member or three. Clients resolve and bind all
// the while; the servers are killed and started again in turn, and so are the database and the members of etcd.
//
// usage: naming_cluster CORBEL_NAMED [--rounds N] [--seed N] [--store postgresql|etcd|etcd3]
//
// No resolve fails, no acknowledged change is lost, and none happens by half. A call that was under way at a server
// that was killed is COMM_FAILURE with COMPLETED_MAYBE, as CORBA has it: a resolve is then called again. Exit status: 0
// all well, 1 something was not, 2 the test itself failed, 77 the database is not installed.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <memory>
#include <mutex>
#include <random>
#include <thread>

#include "CosNaming.hpp"
#include "corbel/corbel.hpp"
#include "corbel/ior/ior.hpp"
#include "corbel/ior/profile.hpp"
#include "process.hpp"
#include "support/etcd_server.hpp"
#include "support/free_port.hpp"
#include "support/postgres_server.hpp"

namespace {

using corbel::test::EtcdServer;
using corbel::test::PostgresServer;
using corbel::test::Process;
using CosNaming::Name;
using CosNaming::NameComponent;
using CosNaming::NamingContext;
using ContextRef = IDL::traits<NamingContext>::ref_type;
using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMembers = 3;
constexpr int kNames = 8;  // of each writer
constexpr auto kPatience = std::chrono::minutes(4);
constexpr int kNotInstalled = 77;

Name name(const std::string& id, const std::string& kind = "") {
  return {NameComponent(id, kind)};
}

/// An object whose key is the number. Nothing ever calls it.
ObjectRef object(const OrbRef& orb, int value) {
  return orb->string_to_object("corbaloc::localhost:1/" + std::to_string(value));
}

int value_of(const OrbRef& orb, const ObjectRef& reference) {
  const auto ior = corbel::ior::from_string(orb->object_to_string(reference));
  const auto profile = corbel::ior::decode_iiop_profile(ior->profiles.front());
  return std::stoi(std::string(corbel::base::as_text(profile->object_key)));
}

/// What the servers share.
class Database {
 public:
  Database() = default;
  virtual ~Database() = default;
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  virtual std::string url() const = 0;
  /// Ends, or a part of it, as in a crash; true if all goes on without it.
  virtual bool fall(std::size_t round) = 0;
  virtual void rise() = 0;
};

class PostgresDatabase final : public Database {
 public:
  std::string url() const override { return server_.url(); }
  bool fall(std::size_t round) override {
    server_.stop(round % 2 == 0 ? SIGQUIT : SIGINT);
    return false;
  }
  void rise() override { server_.start(); }

 private:
  PostgresServer server_;
};

class EtcdDatabase final : public Database {
 public:
  explicit EtcdDatabase(std::size_t members) : server_(members) {}
  std::string url() const override { return server_.url("cluster"); }
  bool fall(std::size_t round) override {
    victim_ = round / 3 % server_.size();
    server_.stop(victim_);
    return server_.size() > 1;
  }
  void rise() override { server_.start(victim_); }

 private:
  EtcdServer server_;
  std::size_t victim_ = 0;
};

/// Nothing if it is not installed.
std::unique_ptr<Database> database(const std::string& kind) {
  if (kind == "postgresql") {
    return PostgresServer::programs().empty() ? nullptr : std::make_unique<PostgresDatabase>();
  }
  if (kind != "etcd" && kind != "etcd3") throw std::runtime_error("there is no database " + kind);
  return EtcdServer::is_installed() ? std::make_unique<EtcdDatabase>(kind == "etcd" ? 1 : 3) : nullptr;
}

/// What goes wrong, and how much goes well.
struct Account {
  std::atomic<bool> stop = false;
  std::atomic<long> resolved = 0, changed = 0, repeated = 0, uncertain = 0, wrong = 0;
  std::mutex mutex;

  void fault(const std::string& what) {
    ++wrong;
    const std::lock_guard lock(mutex);
    std::cerr << what << '\n';
  }
};

/// A client with a context's reference, as one of the servers has given it out.
class Client {
 public:
  Client(Account& account, OrbRef orb, ContextRef home)
      : account_(account), orb_(std::move(orb)), home_(std::move(home)) {}

 protected:
  /// The number that the name is bound to; 0 if it is not bound.
  int look(const Name& what) {
    constexpr int kMostTimes = 5;
    for (int times = 1;; ++times) {
      try {
        const int found = value_of(orb_, home_->resolve(what));
        ++account_.resolved;
        return found;
      } catch (const NamingContext::NotFound&) {
        ++account_.resolved;
        return 0;
      } catch (const CORBA::SystemException& exception) {
        if (exception.completed() != CORBA::COMPLETED_MAYBE || times == kMostTimes) throw;
        ++account_.repeated;
      }
    }
  }

  Account& account_;
  const OrbRef orb_;
  const ContextRef home_;
};

/// Resolves what is always bound to the same.
class Reader : Client {
 public:
  using Client::Client;
  void work() {
    while (!account_.stop) {
      try {
        if (const int found = look(name("fixed")); found != 1) account_.fault("fixed is " + std::to_string(found));
      } catch (const CORBA::Exception& exception) {
        account_.fault(std::string("a resolve failed: ") + exception.what());
      }
    }
  }
};

/// Changes names of its own at random and keeps book.
class Writer : Client {
 public:
  Writer(Account& account, OrbRef orb, ContextRef home, std::string kind, unsigned seed)
      : Client(account, std::move(orb), std::move(home)), kind_(std::move(kind)), random_(seed), bound_(kNames) {}

  void work() {
    while (!account_.stop) {
      const auto i = static_cast<std::size_t>(random_() % kNames);
      const int before = bound_[i];
      const int after = before != 0 && random_() % 3 == 0 ? 0 : ++next_;
      try {
        if (!change(slot(i), before, after)) {
          settle(i, before, after);
        } else {
          bound_[i] = after;
          ++account_.changed;
        }
      } catch (const CORBA::Exception& exception) {
        account_.fault("writer " + kind_ + ": " + exception.what());
        bound_[i] = look(slot(i));
      }
    }
  }
  void verify() {
    for (std::size_t i = 0; i < bound_.size(); ++i) expect(i, {bound_[i]});
  }

 private:
  Name slot(std::size_t i) const { return name(std::to_string(i), kind_); }

  /// False if it is not known whether it has happened.
  bool change(const Name& what, int before, int after) {
    try {
      if (after == 0) {
        home_->unbind(what);
      } else if (before == 0) {
        home_->bind(what, object(orb_, after));
      } else {
        home_->rebind(what, object(orb_, after));
      }
      return true;
    } catch (const CORBA::SystemException& exception) {
      if (exception.completed() != CORBA::COMPLETED_MAYBE) throw;
      ++account_.uncertain;
      return false;
    }
  }
  /// Changes go one after the other: when another has been made, what was under way has happened or never will.
  void settle(std::size_t i, int before, int after) {
    while (!change(name("barrier", kind_), 1, 1)) {
    }
    bound_[i] = expect(i, {before, after});
  }
  int expect(std::size_t i, std::initializer_list<int> possible) {
    const int found = look(slot(i));
    if (std::find(possible.begin(), possible.end(), found) == possible.end()) {
      account_.fault("writer " + kind_ + ", name " + std::to_string(i) + ": found " + std::to_string(found) +
                     " instead of " + std::to_string(*possible.begin()));
    }
    return found;
  }

  const std::string kind_;
  std::mt19937 random_;
  std::vector<int> bound_;
  int next_ = 1;
};

class Test {
 public:
  Test(std::string program, std::unique_ptr<Database> database, unsigned seed)
      : program_(std::move(program)), random_(seed), seed_(seed), database_(std::move(database)) {}

  int run(long rounds) {
    for (std::size_t i = 0; i < kMembers; ++i) {
      ports_[i] = std::to_string(corbel::test::free_port());
      start(i);
    }
    std::vector<std::string> arguments = {"cluster"};
    const auto orb = CORBA::ORB_init(arguments, "cluster");
    std::vector<std::unique_ptr<Reader>> readers;
    std::vector<std::unique_ptr<Writer>> writers;
    root(orb, 0)->bind_new_context(name("home"));
    root(orb, 0)->bind({NameComponent("home", ""), NameComponent("fixed", "")}, object(orb, 1));
    for (std::size_t i = 0; i < kMembers; ++i) {
      const ContextRef home = whole(orb, i);
      const unsigned seed = seed_ * 100 + static_cast<unsigned>(i);
      readers.push_back(std::make_unique<Reader>(account_, orb, home));
      writers.push_back(std::make_unique<Writer>(account_, orb, home, std::to_string(i), seed));
    }
    std::vector<std::thread> threads;
    for (const auto& each : readers) threads.emplace_back([&, each = each.get()] { each->work(); });
    for (const auto& each : writers) threads.emplace_back([&, each = each.get()] { each->work(); });
    try {
      for (long round = 0; round < rounds; ++round) one_round(static_cast<std::size_t>(round));
    } catch (...) {
      account_.stop = true;
      for (auto& thread : threads) thread.join();
      throw;
    }
    account_.stop = true;
    for (auto& thread : threads) thread.join();
    for (const auto& each : writers) each->verify();
    orb->destroy();
    check();
    std::cout << rounds << " rounds: " << account_.resolved << " resolved, " << account_.changed
              << " changes acknowledged, " << account_.repeated << " resolves called again, " << account_.uncertain
              << " changes uncertain, " << account_.wrong << " wrong\n";
    return account_.wrong == 0 ? 0 : 1;
  }

 private:
  void start(std::size_t i) {
    // A port stays with its member.
    members_[i] = std::make_unique<Process>(std::vector<std::string>{
        program_, "--store", database_->url(), "--host", "127.0.0.1", "--port", ports_[i], "--no-local",
        "--member-lease", "3", "-ORBCallTimeout", std::to_string(std::chrono::milliseconds(kPatience).count() / 2)});
    const std::string line = members_[i]->read(false);
    const std::size_t at = line.find("127.0.0.1:");
    if (at == std::string::npos) throw std::runtime_error("a server did not start");
    ports_[i] = line.substr(at + 10, line.find('/', at) - at - 10);
  }
  ContextRef root(const OrbRef& orb, std::size_t i) const {
    return IDL::traits<NamingContext>::unchecked_narrow(
        orb->string_to_object("corbaloc::127.0.0.1:" + ports_[i] + "/NameService"));
  }
  /// The context from that member, when its references lead to all members.
  ContextRef whole(const OrbRef& orb, std::size_t i) const {
    for (const auto end = Clock::now() + kPatience; Clock::now() < end;) {
      const auto home = root(orb, i)->resolve(name("home"));
      const auto ior = corbel::ior::from_string(orb->object_to_string(home));
      const auto profile = corbel::ior::decode_iiop_profile(ior->profiles.front());
      const auto others = std::count_if(profile->components.begin(), profile->components.end(), [](const auto& each) {
        return each.tag == static_cast<std::uint32_t>(corbel::ior::ComponentTag::alternate_iiop_address);
      });
      if (others == kMembers - 1) return IDL::traits<NamingContext>::unchecked_narrow(home);
    }
    throw std::runtime_error("references do not lead to all members");
  }
  /// Until so much has been done.
  void wait_for_work(long resolved, long changed) {
    const long first = account_.resolved + resolved;
    const long second = account_.changed + changed;
    for (const auto end = Clock::now() + kPatience; account_.resolved < first || account_.changed < second;) {
      if (Clock::now() > end) throw std::runtime_error("nothing goes on");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  void one_round(std::size_t round) {
    const std::size_t victim = round % kMembers;
    wait_for_work(20, static_cast<long>(random_() % 20));
    members_[victim]->kill_hard();
    members_[victim]->wait();
    wait_for_work(50, 10);
    start(victim);
    if (round % 3 != 1) return;
    wait_for_work(10, static_cast<long>(random_() % 10));
    if (database_->fall(round)) wait_for_work(50, 10);
    database_->rise();
    wait_for_work(50, 10);
  }
  void check() {
    Process process({program_, "--store", database_->url(), "--check"});
    const std::string said = process.read(true);
    if (process.wait() != 0 || said.find("contexts 2\n") == std::string::npos ||
        said.find("unreachable contexts 0\n") == std::string::npos) {
      account_.fault("the database is not whole: " + said);
    }
  }

  const std::string program_;
  std::mt19937 random_;
  const unsigned seed_;
  const std::unique_ptr<Database> database_;
  std::unique_ptr<Process> members_[kMembers];
  std::string ports_[kMembers];
  Account account_;
};

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> words(argv + 1, argv + argc);
  long rounds = 4;
  unsigned seed = 1;
  std::string kind = "postgresql";
  if (words.size() % 2 != 1) {
    throw std::runtime_error("usage: naming_cluster CORBEL_NAMED [--rounds N] [--seed N] [--store KIND]");
  }
  for (std::size_t i = 1; i < words.size(); i += 2) {
    if (words[i] == "--rounds") {
      rounds = std::stol(words[i + 1]);
    } else if (words[i] == "--seed") {
      seed = static_cast<unsigned>(std::stoul(words[i + 1]));
    } else if (words[i] == "--store") {
      kind = words[i + 1];
    } else {
      throw std::runtime_error("unknown option " + words[i]);
    }
  }
  auto shared = database(kind);
  if (shared == nullptr) {
    std::cout << kind << " is not installed (Debian: postgresql, etcd-server)\n";
    return kNotInstalled;
  }
  return Test(words[0], std::move(shared), seed).run(rounds);
} catch (const std::exception& failure) {
  std::cerr << "naming_cluster: " << failure.what() << '\n';
  return 2;
}
