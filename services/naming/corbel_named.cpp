// SPDX-License-Identifier: Apache-2.0
// corbel-named: the naming service as a process.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>

#include "arguments.hpp"
#include "corbel/base/log.hpp"
#include "corbel/corbel.hpp"
#include "corbel/ior/ior.hpp"
#include "corbel/ior/profile.hpp"
#include "corbel/orb/parts.hpp"
#include "corbel_metrics.hpp"
#include "discovery.hpp"
#include "members.hpp"
#include "omninames.hpp"
#include "process.hpp"
#include "service.hpp"

namespace corbel::naming {
namespace {

constexpr const char* kDefaultPort = "2809";
/// Nobody sees bindings whose lease has ended; how often they are looked for.
constexpr std::chrono::milliseconds kSweep = std::chrono::seconds(1);

void prepare_folder(const std::string& file) {
  std::error_code error;
  const auto folder = std::filesystem::path(file).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) throw std::runtime_error(folder.string() + ": cannot be made: " + error.message());
}

void redirect_errors(const std::string& file) {
  const int log = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (log < 0 || ::dup2(log, STDERR_FILENO) < 0) throw std::runtime_error(file + ": " + std::strerror(errno));
  ::close(log);
}

int import(const Arguments& arguments, Store& store) {
  std::ifstream file(arguments.import_file);
  if (!file) throw std::runtime_error(arguments.import_file + ": cannot be read");
  Imported imported;
  try {
    imported = import_omninames(file, store, arguments.service.names);
  } catch (const StoreError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(arguments.import_file + ": " + error.what());
  }
  if (imported.port && !store.shared()) store.set("port", *imported.port);
  const Census census = store.census();
  std::cout << "imported " << census.contexts << " contexts and " << census.bindings << " bindings";
  if (imported.skipped != 0) std::cout << ", skipped " << imported.skipped << " in contexts that were destroyed";
  std::cout << '\n';
  return 0;
}

int check(Store& store) {
  const Census census = store.census();
  std::cout << "contexts " << census.contexts << "\nbindings " << census.bindings << "\nunreachable contexts "
            << census.unreachable << "\nbindings of destroyed contexts " << census.dangling << '\n';
  return 0;
}

/// False where whole endpoints are given.
bool port_counts(const Arguments& arguments) {
  return arguments.listen.empty() &&
         std::none_of(arguments.orb.begin(), arguments.orb.end(),
                      [](const std::string& word) { return word.starts_with("-ORBListenEndpoints"); });
}

/// Endpoints that were given are all there are. Port 0 is for services that are told of.
bool serves_locally(const Arguments& arguments) {
  return arguments.local || (!arguments.no_local && port_counts(arguments) && arguments.port != "0");
}

/// The endpoint that processes of this host find by themselves; empty if there is none.
std::string serve_locally(const Arguments& arguments, CORBA::ORB& orb) {
  if (!serves_locally(arguments)) return {};
  try {
    return orb::serve_locally(orb, "NameService");
  } catch (const CORBA::SystemException& failure) {
    if (arguments.local) throw;
    std::cerr << "corbel-named: processes of this host have to be told where it is: " << failure.what() << '\n';
    return {};
  }
}

#ifdef CORBEL_NAMING_AVAHI
std::unique_ptr<Advertisement> advertise(const Arguments& arguments, Service& service) {
  if (arguments.advertise.empty()) return nullptr;
  const std::vector<Address> addresses = service.own_addresses();
  if (addresses.empty()) throw std::runtime_error("--advertise: there is no TCP port to tell of");
  return std::make_unique<Advertisement>(arguments.advertise, addresses.front().port, [](const std::string& said) {
    std::cerr << "corbel-named: " + base::printable(said) + '\n';
  });
}
#else
std::unique_ptr<int> advertise(const Arguments& arguments, Service&) {
  if (!arguments.advertise.empty()) throw std::runtime_error("--advertise: built without Avahi (libavahi-client-dev)");
  return nullptr;
}
#endif

/// Those who share the names have a port each.
std::string remembered_port(Store& store) {
  return store.shared() ? kDefaultPort : store.setting("port").value_or(kDefaultPort);
}

/// Called when the port works: one that is taken is not what the next start should try. To serve is worth more than to
/// remember it, and where the disk is full the names can be found all the same.
void remember_port(const Arguments& arguments, Store& store) {
  if (!port_counts(arguments) || !arguments.port || *arguments.port == "0" || store.shared()) return;
  if (store.setting("port") == arguments.port) return;
  try {
    store.set("port", *arguments.port);
  } catch (const StoreError& failure) {
    std::cerr << "corbel-named: the port is not remembered: " << failure.what() << '\n';
  }
}

/// What ORB_init gets: the program's defaults, then endpoints, then what the user gave, which wins.
std::vector<std::string> orb_arguments(const Arguments& arguments, Store& store) {
  std::vector<std::string> words = {"corbel-named"};
  std::vector<std::string> endpoints = arguments.listen;
  if (port_counts(arguments)) {
    const std::string port = arguments.port ? *arguments.port : remembered_port(store);
    endpoints.push_back("tcp://" + arguments.host + ":" + port);
  }
  for (const auto& endpoint : endpoints) words.insert(words.end(), {"-ORBListenEndpoints", endpoint});
  words.insert(words.end(), arguments.orb.begin(), arguments.orb.end());
  return words;
}

/// How clients find it, as they would write it.
std::string address(const std::string& root) {
  const auto ior = ior::from_string(root);
  if (!ior) return root;
  for (const auto& profile : ior->profiles) {
    if (const auto body = ior::decode_iiop_profile(profile); body && body->port != 0) {
      const bool six = body->host.find(':') != std::string::npos;
      return "corbaloc::" + (six ? "[" + body->host + "]" : body->host) + ":" + std::to_string(body->port) +
             "/NameService";
    }
  }
  for (const auto& profile : ior->profiles) {
    if (const auto body = ior::decode_uiop_profile(profile)) return "corbaloc:uiop:" + body->path + "|NameService";
  }
  return root;
}

int serve(const Arguments& arguments, Store& store) {
  const std::string kept_in = arguments.place.url.empty() ? arguments.place.data : arguments.place.url;
  const sigset_t signals = process::block_signals();
  std::vector<std::string> words = orb_arguments(arguments, store);
  std::optional<metrics::Metrics> metrics;
  if (!arguments.metrics.empty()) metrics.emplace();
  const auto orb = CORBA::ORB_init(words, "corbel-named");
  std::optional<Service> service;  // goes after the ORB's last request
  std::optional<Members> members;
  std::optional<Periodic> sweeper;
  decltype(advertise(arguments, *service)) advertisement;
  try {
    service.emplace(orb, store, arguments.service);
    members.emplace(store, *service, arguments.member_lease, arguments.publish);
    sweeper.emplace(kSweep, [&store] { store.sweep(); });
    remember_port(arguments, store);
    const std::string local = serve_locally(arguments, *orb);
    const std::string root = orb->object_to_string(service->root());
    if (!arguments.ior_file.empty()) process::write_file(arguments.ior_file, root + '\n');
    if (metrics) {
      metrics->watch(orb);
      metrics->serve(arguments.metrics);
      if (arguments.metrics_object) metrics->serve(orb);
    }
    advertisement = advertise(arguments, *service);
    std::cout << "corbel-named: " << address(root);
    if (!local.empty()) std::cout << " and " << local;
    std::cout << ", names in " << kept_in;
    if (metrics) std::cout << ", metrics at port " << metrics->port();
    std::cout << std::endl;
  } catch (...) {
    orb->destroy();
    throw;
  }
  process::run_until(signals, *orb);
  return 0;
}

int run(const std::vector<std::string>& line) {
  Arguments arguments;
  if (const auto stop = read_arguments(line, arguments)) {
    (stop->status == 0 ? std::cout : std::cerr) << stop->text;
    return stop->status;
  }
  if (!arguments.error_log.empty()) redirect_errors(arguments.error_log);
  if (arguments.place.url.empty()) {
    prepare_folder(arguments.place.data);
    if ((arguments.check || arguments.prune) && !std::filesystem::exists(arguments.place.data)) {
      throw std::runtime_error(arguments.place.data + ": there is no such file");
    }
  }
  const auto kept = open_store(arguments.place, arguments.store, [](const std::string& said) {
    std::cerr << "corbel-named: " + base::printable(said) + '\n';
  });
  Store& store = *kept;
  if (arguments.prune) std::cout << "pruned contexts " << store.prune(arguments.prune_age) << '\n';
  if (arguments.prune || arguments.check) return check(store);
  if (!arguments.import_file.empty()) return import(arguments, store);
  return serve(arguments, store);
}

}  // namespace
}  // namespace corbel::naming

int main(int argc, char** argv) {
  corbel::process::give_back_large_blocks();
  try {
    return corbel::naming::run({argv + 1, argv + argc});
  } catch (const std::exception& failure) {
    std::cerr << "corbel-named: " << failure.what() << '\n';
    return 1;
  }
}
