// SPDX-License-Identifier: Apache-2.0
// The command line of corbel-named, omniNames' spellings included.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "open_store.hpp"
#include "service.hpp"

namespace corbel::naming {

struct Arguments {
  StorePlace place;                 ///< where the names are
  std::optional<std::string> port;  ///< as given; else the one that the database remembers, else 2809
  std::string host;                 ///< to listen at; empty: all interfaces
  std::vector<std::string> listen;  ///< whole endpoints; then port and host count for nothing
  bool local = false;               ///< found by processes of this host without an option, or
  bool no_local = false;            ///< not; neither: unless endpoints or port 0 are given
  std::string advertise;            ///< the name by which the network is told of it; empty: it is not
  std::vector<Address> publish;     ///< addresses that references contain, too
  std::chrono::milliseconds member_lease = std::chrono::seconds(30);  ///< a member that is silent for so long is gone
  std::string ior_file;         ///< where the root's reference is written; empty: nowhere
  std::string metrics;          ///< HOST:PORT where metrics are served; empty: nowhere
  bool metrics_object = false;  ///< by a CORBA object, too
  std::string error_log;        ///< where standard error goes; empty: where it went
  std::string import_file;      ///< data of omniNames to be imported; then nothing is served
  bool check = false;           ///< the database is checked; nothing is served
  bool prune = false;           ///< contexts that nothing leads to are destroyed; nothing is served
  std::chrono::seconds prune_age = std::chrono::hours(24);  ///< but not younger ones
  StoreLimits store;
  ServiceLimits service;
  std::vector<std::string> orb;  ///< for ORB_init, defaults of this program first
};

/// What to do instead of serving: the text for people and the exit status.
struct Stop {
  std::string text;
  int status;
};

/// Reads the command line, without the program's name. Spellings of omniNames (-start, -logdir, -errlog, -always,
/// -ignoreport, -nohostname, -ORBendPoint) mean what they mean there. Returns Stop for --help, --version and mistakes.
std::optional<Stop> read_arguments(const std::vector<std::string>& line, Arguments& arguments);

}  // namespace corbel::naming
