// SPDX-License-Identifier: Apache-2.0
// Kills corbel-named with SIGKILL while clients change names, again and again, and compares what is there afterwards
// with what was acknowledged.
//
// usage: naming_crash CORBEL_NAMED [--kills N] [--seed N] [--durability process|power-loss]
//
// Exit status: 0 nothing was lost, 1 something was, 2 the test itself failed.
#include <algorithm>
#include <atomic>
#include <iostream>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "CosNaming.hpp"
#include "corbel/corbel.hpp"
#include "corbel/ior/ior.hpp"
#include "corbel/ior/profile.hpp"
#include "files.hpp"
#include "process.hpp"

namespace {

using corbel::test::Process;
using CosNaming::Name;
using CosNaming::NameComponent;
using CosNaming::NamingContext;
using ContextRef = IDL::traits<NamingContext>::ref_type;
using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
using OrbRef = IDL::traits<CORBA::ORB>::ref_type;

constexpr int kWriters = 4;
constexpr int kNames = 12;  // of each writer
constexpr int kMostAcknowledged = 80;

/// What a name may be bound to: nothing (0), a context (-1), or the object with this number.
using Value = int;
constexpr Value kNothing = 0, kContext = -1;

struct Slot {
  Value acknowledged = kNothing;
  Value attempted = kNothing;   ///< what a change that was not answered would have made of it
  bool gone = false;            ///< the context it leads to was destroyed: acknowledged
  bool gone_attempted = false;  ///< ... or a destroy() was not answered
};

/// Changes names of its own at random and keeps book.
class Writer {
 public:
  Writer(int number, unsigned seed) : number_(number), random_(seed), slots_(kNames) {}

  /// Until a call fails because the server is gone. Calls `acknowledged` after each change.
  template <class Acknowledged>
  void work(const OrbRef& orb, const std::string& url, Acknowledged acknowledged) {
    const auto root = IDL::traits<NamingContext>::unchecked_narrow(orb->string_to_object(url));
    try {
      for (;;) {
        change(orb, root, static_cast<int>(random_() % kNames));
        acknowledged();
      }
    } catch (const CORBA::SystemException& exception) {
      const std::string name = exception._name();
      if (name != "COMM_FAILURE" && name != "TRANSIENT") throw;
    }
  }

  /// Names whose state is neither what was acknowledged nor what was attempted. Takes over what is there.
  int verify(const OrbRef& orb, const std::string& url) {
    const auto root = IDL::traits<NamingContext>::unchecked_narrow(orb->string_to_object(url));
    int wrong = 0;
    for (int i = 0; i < kNames; ++i) {
      Slot& slot = slots_[static_cast<std::size_t>(i)];
      const Value found = look(orb, root, i);
      if (found != slot.acknowledged && found != slot.attempted) {
        std::cerr << "writer " << number_ << " name " << i << ": found " << found << ", acknowledged "
                  << slot.acknowledged << ", attempted " << slot.attempted << '\n';
        ++wrong;
      }
      const bool gone = found == kContext && root->resolve(name(i))->_non_existent();
      if (found == kContext && gone != slot.gone && gone != slot.gone_attempted) {
        std::cerr << "writer " << number_ << " name " << i << ": its context is " << (gone ? "gone" : "there")
                  << ", which is neither what was acknowledged nor what was attempted\n";
        ++wrong;
      }
      slot = {found, found, gone, gone};
    }
    return wrong;
  }

  /// Names that lead to contexts that are gone.
  long dangling() const {
    return std::count_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.gone; });
  }

 private:
  Name name(int i) const {
    return {NameComponent("writer", std::to_string(number_)), NameComponent("name", std::to_string(i))};
  }
  /// An object whose key is the number. Nothing ever calls it.
  static ObjectRef object(const OrbRef& orb, Value value) {
    corbel::ior::IiopProfile profile;
    profile.host = "localhost";
    profile.port = 1;
    const std::string key = std::to_string(value);
    profile.object_key.assign(key.begin(), key.end());
    return orb->string_to_object(corbel::ior::to_string({"IDL:Thing:1.0", {corbel::ior::encode_profile(profile)}}));
  }

  Value look(const OrbRef& orb, const ContextRef& root, int i) const {
    try {
      const auto ior = corbel::ior::from_string(orb->object_to_string(root->resolve(name(i))));
      if (ior->type_id != "IDL:Thing:1.0") return kContext;
      const auto profile = corbel::ior::decode_iiop_profile(ior->profiles.front());
      return std::stoi(std::string(corbel::base::as_text(profile->object_key)));
    } catch (const NamingContext::NotFound&) {
      return kNothing;
    }
  }

  void change(const OrbRef& orb, const ContextRef& root, int i) {
    Slot& slot = slots_[static_cast<std::size_t>(i)];
    if (!homed_) {
      try {
        root->bind_new_context({NameComponent("writer", std::to_string(number_))});
      } catch (const NamingContext::AlreadyBound&) {
      }
      homed_ = true;
    }
    if (slot.acknowledged == kNothing) {
      if (random_() % 3 == 0) {
        slot.attempted = kContext;
        root->bind_new_context(name(i));
      } else {
        slot.attempted = ++next_;
        root->bind(name(i), object(orb, next_));
      }
    } else if (slot.acknowledged == kContext) {
      // First the context and then its name: a context without a name would be a half one.
      if (!slot.gone) {
        const auto context = IDL::traits<NamingContext>::unchecked_narrow(root->resolve(name(i)));
        slot.gone_attempted = true;
        context->destroy();
        slot.gone = true;
        return;
      }
      slot.attempted = kNothing;
      root->unbind(name(i));
      slot.gone = slot.gone_attempted = false;
    } else if (random_() % 2 == 0) {
      slot.attempted = ++next_;
      root->rebind(name(i), object(orb, next_));
    } else {
      slot.attempted = kNothing;
      root->unbind(name(i));
    }
    slot.acknowledged = slot.attempted;
  }

  const int number_;
  std::mt19937 random_;
  std::vector<Slot> slots_;
  Value next_ = 0;
  bool homed_ = false;
};

struct Options {
  std::string program;
  long kills = 30;
  unsigned seed = 1;
  std::string durability = "process";
};

Options read(int argc, char** argv) {
  if (argc < 2 || argc % 2 != 0)
    throw std::runtime_error("usage: naming_crash CORBEL_NAMED [--kills N] [--seed N] [--durability D]");
  Options options;
  options.program = argv[1];
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--kills") {
      options.kills = std::stol(argv[i + 1]);
    } else if (option == "--seed") {
      options.seed = static_cast<unsigned>(std::stoul(argv[i + 1]));
    } else if (option == "--durability") {
      options.durability = argv[i + 1];
    } else {
      throw std::runtime_error("unknown option " + option);
    }
  }
  return options;
}

class Test {
 public:
  explicit Test(Options options) : options_(std::move(options)), random_(options_.seed) {
    for (int i = 0; i < kWriters; ++i)
      writers_.push_back(std::make_unique<Writer>(i, options_.seed * 100 + static_cast<unsigned>(i)));
  }
  Test(const Test&) = delete;
  Test& operator=(const Test&) = delete;

  int run() {
    for (long kill = 0; kill < options_.kills; ++kill) one_life(kill);
    one_life(-1);
    std::cout << options_.kills << " kills, " << acknowledged_ << " changes acknowledged, " << wrong_
              << " names wrong afterwards, " << damaged_ << " times the file was not whole\n";
    return wrong_ == 0 && damaged_ == 0 ? 0 : 1;
  }

 private:
  std::string data() const { return folder_ / "names.db"; }

  /// Starts the server, looks whether all is there, and lets the writers write until it is killed; in the last life
  /// (-1) they do not write any more.
  void one_life(long kill) {
    Process server({options_.program, "--data", data(), "--listen", "unix://" + folder_ / "socket", "--durability",
                    options_.durability});
    if (server.read(false).find("corbaloc:") == std::string::npos) throw std::runtime_error("the server did not start");
    std::vector<std::string> arguments = {"crash"};
    const auto orb = CORBA::ORB_init(arguments, "crash" + std::to_string(kill));
    const std::string url = "corbaloc:uiop:" + folder_ / "socket" + "|NameService";
    for (const auto& writer : writers_) wrong_ += writer->verify(orb, url);
    // What the names lead to is what was counted when the server was dead.
    long dangling = 0;
    for (const auto& writer : writers_) dangling += writer->dangling();
    if (dangling != dangling_) {
      std::cerr << "bindings of destroyed contexts: " << dangling_ << " counted, " << dangling << " found\n";
      ++damaged_;
    }
    if (kill >= 0) {
      std::atomic<long> left = 1 + static_cast<long>(random_() % kMostAcknowledged);
      const long planned = left;
      std::vector<std::thread> threads;
      for (const auto& writer : writers_) {
        threads.emplace_back([&, each = writer.get()] {
          each->work(orb, url, [&] {
            if (left.fetch_sub(1) == 1) server.kill_hard();
          });
        });
      }
      for (auto& thread : threads) thread.join();
      acknowledged_ += planned - left;
    } else {
      server.kill_hard();
    }
    server.wait();
    orb->destroy();
    check();
  }

  /// Every context must have a name, and all that is counted must be there: no half change. How many names lead to
  /// contexts that are gone is compared in the next life.
  void check() {
    Process process({options_.program, "--data", data(), "--check"});
    const std::string said = process.read(true);
    const std::string label = "bindings of destroyed contexts ";
    const std::size_t at = said.find(label);
    if (process.wait() == 0 && said.find("unreachable contexts 0\n") != std::string::npos && at != std::string::npos) {
      dangling_ = std::stol(said.substr(at + label.size()));
      return;
    }
    std::cerr << said;
    ++damaged_;
  }

  const Options options_;
  std::mt19937 random_;
  const corbel::test::Folder folder_;
  std::vector<std::unique_ptr<Writer>> writers_;
  long acknowledged_ = 0;
  long dangling_ = 0;  ///< as the last check counted it
  int wrong_ = 0;
  int damaged_ = 0;
};

}  // namespace

int main(int argc, char** argv) try { return Test(read(argc, argv)).run(); } catch (const std::exception& failure) {
  std::cerr << "naming_crash: " << failure.what() << '\n';
  return 2;
}
