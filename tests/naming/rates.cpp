// SPDX-License-Identifier: Apache-2.0
// How fast names are bound and resolved, what they take in memory and on disk, and how long the service takes to be
// back after its end: corbel-named, and omniNames beside it where that is installed.
//
// usage: naming_rates CORBEL_NAMED [--bindings N] [--clients N] [--alone] [corbel-named's options]
//
// --alone: without omniNames, which does not come to the end of a million names within a quarter of an hour.
//
// Exit status: 0 every name was found, also after the restart; 2 something failed.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "CosNaming.hpp"
#include "corbel/corbel.hpp"
#include "files.hpp"
#include "free_port.hpp"
#include "process.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using corbel::test::Process;
using CosNaming::Name;
using CosNaming::NameComponent;
using CosNaming::NamingContext;
using ContextRef = IDL::traits<NamingContext>::ref_type;
using OrbRef = IDL::traits<CORBA::ORB>::ref_type;

constexpr std::chrono::seconds kPatience(300);
constexpr const char* kOmniNames = "/usr/bin/omniNames";

struct Wanted {
  std::string named;
  int bindings = 100'000;
  int clients = 8;
  bool alone = false;
  std::vector<std::string> options;
};

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// A service with its data in a folder.
class Service {
 public:
  Service(bool is_named, const Wanted& wanted, const std::string& folder, const std::string& port) : port_(port) {
    std::vector<std::string> line;
    if (is_named) {
      line = {wanted.named, "--data", folder + "/names.db", "--host", "127.0.0.1", "--port", port, "--no-local"};
      line.insert(line.end(), wanted.options.begin(), wanted.options.end());
    } else {
      line = {kOmniNames,
              "-logdir",
              folder,
              "-errlog",
              folder + "/log",
              "-ignoreport",
              "-always",
              "-start",
              port,
              "-ORBendPoint",
              "giop:tcp:127.0.0.1:" + port};
    }
    process_.emplace(line);
  }

  /// Waits until it answers.
  ContextRef root(const OrbRef& orb) const {
    const auto object = orb->string_to_object("corbaloc::127.0.0.1:" + port_ + "/NameService");
    for (const auto begin = Clock::now();;) {
      try {
        if (auto root = IDL::traits<NamingContext>::narrow(object)) return root;
      } catch (const CORBA::SystemException&) {
        if (Clock::now() - begin > kPatience) throw;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));  // nothing else tells that it is there
    }
  }

  /// Its resident memory in KiB.
  long resident() const {
    std::ifstream status("/proc/" + std::to_string(process_->pid()) + "/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
    }
    return 0;
  }
  void kill() { process_.reset(); }

 private:
  std::string port_;
  std::optional<Process> process_;
};

Name name_of(int client, int i) {
  return {NameComponent("client", std::to_string(client)), NameComponent("object", std::to_string(i))};
}

/// Runs `work(client)` for all clients at the same time; the seconds that took. Throws what the last of them threw.
template <class Work>
double together(int clients, Work work) {
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(clients));
  const auto begin = Clock::now();
  {
    std::vector<std::jthread> threads;
    for (int client = 0; client < clients; ++client) {
      threads.emplace_back([&, client] {
        try {
          work(client);
        } catch (...) {
          failures[static_cast<std::size_t>(client)] = std::current_exception();
        }
      });
    }
  }
  for (const auto& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  return seconds_since(begin);
}

std::uintmax_t octets_in(const std::string& folder) {
  std::uintmax_t sum = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::error_code gone;  // a service may rename what it has written
    if (const auto size = entry.file_size(gone); !gone) sum += size;
  }
  return sum;
}

void measure(bool is_named, const Wanted& wanted, const OrbRef& orb, const std::string& port) {
  const corbel::test::Folder folder;
  std::optional<Service> service(std::in_place, is_named, wanted, folder.path(), port);
  const ContextRef root = service->root(orb);
  const long empty = service->resident();
  const int each = std::max(wanted.bindings / wanted.clients, 1);
  const double count = static_cast<double>(each) * wanted.clients;
  const auto thing = orb->string_to_object("corbaloc::127.0.0.1:1/thing");
  const double bound = together(wanted.clients, [&](int client) {
    Name context = name_of(client, 0);
    context.pop_back();
    root->bind_new_context(context);
    for (int i = 0; i < each; ++i) root->bind(name_of(client, i), thing);
  });
  const auto resolve_all = [&](const ContextRef& from) {
    return together(wanted.clients, [&](int client) {
      std::minstd_rand random(static_cast<unsigned>(client) + 1);
      for (int i = 0; i < each; ++i) {
        const int which = static_cast<int>(random() % static_cast<unsigned>(each));
        if (from->resolve(name_of(client, which)) == nullptr) throw std::runtime_error("a name is bound to nil");
      }
    });
  };
  const double resolved = resolve_all(root);
  const long full = service->resident();
  service->kill();
  const auto begin = Clock::now();
  service.emplace(is_named, wanted, folder.path(), port);
  const ContextRef again = service->root(orb);
  for (int client = 0; client < wanted.clients; ++client) again->resolve(name_of(client, each - 1));
  const double restarted = seconds_since(begin);
  std::cout << std::left << std::setw(14) << (is_named ? "corbel-named" : "omniNames") << std::right << std::fixed
            << std::setprecision(0) << std::setw(10) << count << std::setw(12) << count / bound << std::setw(14)
            << count / resolved << std::setprecision(1) << std::setw(12) << static_cast<double>(empty) / 1024
            << std::setw(12) << static_cast<double>(full) / 1024 << std::setw(12)
            << static_cast<double>(octets_in(folder.path())) / (1 << 20) << std::setprecision(2) << std::setw(12)
            << restarted << std::endl;
}

Wanted read(int argc, char** argv) {
  if (argc < 2)
    throw std::runtime_error("usage: naming_rates CORBEL_NAMED [--bindings N] [--clients N] [--alone] [OPTIONS]");
  Wanted wanted{argv[1], 100'000, 8, false, {}};
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    if ((word == "--bindings" || word == "--clients") && i + 1 < argc) {
      (word == "--bindings" ? wanted.bindings : wanted.clients) = std::max(std::stoi(argv[++i]), 1);
    } else if (word == "--alone") {
      wanted.alone = true;
    } else {
      wanted.options.push_back(word);
    }
  }
  return wanted;
}

}  // namespace

int main(int argc, char** argv) try {
  const Wanted wanted = read(argc, argv);
  std::vector<std::string> options = {"naming_rates", "-ORBCallTimeout", "120000"};
  const auto orb = CORBA::ORB_init(options, "naming_rates");
  std::cout << wanted.clients << " clients\n"
            << "service         bindings      bind/s     resolve/s   MiB empty    MiB full    MiB disk   restart s\n";
  measure(true, wanted, orb, std::to_string(corbel::test::free_port()));
  if (wanted.alone) {
    // as asked
  } else if (std::filesystem::exists(kOmniNames)) {
    measure(false, wanted, orb, std::to_string(corbel::test::free_port()));
  } else {
    std::cout << "omniNames is not installed (omniorb-nameserver)\n";
  }
  orb->destroy();
  return 0;
} catch (const std::exception& failure) {
  std::cerr << "naming_rates: " << failure.what() << '\n';
  return 2;
}
