// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <sstream>

namespace corbel::naming {
namespace {

/// A name server carries small messages; none needs the ORB's 256 MiB. Its calls are those of names that lead into
/// other services: clients wait meanwhile.
const std::vector<std::string> kOrbDefaults = {"-ORBMaxMessageSize", "4194304", "-ORBCallTimeout", "10000",
                                               "-ORBConnectTimeout", "5000"};

/// An entry of an index takes a third of a page.
constexpr std::size_t kMostOctetsInPostgres = 1300;

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string default_data() {
  if (::geteuid() == 0) return "/var/lib/corbel/names.db";
  const std::string state = environment("XDG_STATE_HOME");
  return (state.empty() ? environment("HOME") + "/.local/state" : state) + "/corbel/names.db";
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

/// "giop:tcp:host:port" of omniORB as Corbel writes it; nothing if it is another kind.
std::optional<std::string> endpoint_of(const std::string& text) {
  for (const auto& [theirs, ours] : {std::pair("giop:tcp:", "tcp://"), std::pair("giop:unix:", "unix://")}) {
    if (text.starts_with(theirs)) return ours + text.substr(std::string_view(theirs).size());
  }
  return std::nullopt;
}

/// Sets what is for the ORB aside, and respells what omniNames takes.
class Line {
 public:
  explicit Line(const std::vector<std::string>& words) : words_(words) {}

  std::optional<Stop> split(std::vector<std::string>& own, std::vector<std::string>& orb) {
    for (; at_ < words_.size(); ++at_) {
      const std::string& word = words_[at_];
      if (word == "-start") {
        own.insert(own.end(), {"--port", next_is_number() ? words_[++at_] : "2809"});
      } else if (word == "-logdir" || word == "-errlog") {
        if (at_ + 1 == words_.size()) return Stop{word + " needs a value\n", 2};
        const std::string& value = words_[++at_];
        own.insert(own.end(),
                   {word == "-logdir" ? "--data" : "--error-log", word == "-logdir" ? value + "/names.db" : value});
      } else if (word == "-always" || word == "-ignoreport" || word == "-nohostname") {
        // These ask for what is so anyway: a start is a start, and no host name is part of the file's name.
      } else if (word == "-help") {
        own.emplace_back("--help");
      } else if (word.starts_with("-ORB")) {
        const bool whole = word.find('=') != std::string::npos || word == "-ORBHelp";
        if (!whole && at_ + 1 == words_.size()) return Stop{word + " needs a value\n", 2};
        if (word == "-ORBendPoint") {
          const auto endpoint = endpoint_of(words_[++at_]);
          if (!endpoint) return Stop{"-ORBendPoint: only giop:tcp:HOST:PORT and giop:unix:PATH are known here\n", 2};
          own.insert(own.end(), {"--listen", *endpoint});
          continue;
        }
        orb.push_back(word);
        if (!whole) orb.push_back(words_[++at_]);
      } else {
        own.push_back(word);
      }
    }
    return std::nullopt;
  }

 private:
  bool next_is_number() const { return at_ + 1 < words_.size() && is_number(words_[at_ + 1]); }

  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
};

/// The milliseconds that an option of the ORB says, the last of its name; nothing if none does.
std::optional<std::chrono::milliseconds> milliseconds_of(const std::vector<std::string>& orb, std::string_view option) {
  std::optional<std::chrono::milliseconds> found;
  for (std::size_t i = 0; i < orb.size(); ++i) {
    std::string_view value;
    if (orb[i] == option && i + 1 < orb.size()) {
      value = orb[i + 1];
    } else if (orb[i].starts_with(std::string(option) + "=")) {
      value = std::string_view(orb[i]).substr(option.size() + 1);
    }
    long count = 0;
    if (std::from_chars(value.data(), value.data() + value.size(), count).ec == std::errc() && count > 0) {
      found = std::chrono::milliseconds(count);
    }
  }
  return found;
}

/// "host:port", "[::1]:port".
std::optional<Address> address_of(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  Address address{std::string(host), 0};
  const auto [stopped, error] = std::from_chars(digits.data(), digits.data() + digits.size(), address.port);
  const bool whole = error == std::errc() && stopped == digits.data() + digits.size();
  const bool is_host = !host.empty() && host.find_first_of(" []/\t\n") == std::string_view::npos;
  return whole && is_host && address.port != 0 ? std::optional(address) : std::nullopt;
}

/// Those that the command line counts.
struct Seconds {
  long lease;
  long member_lease;
  long iterator_idle;
  long prune_age;
};

void describe_security(CLI::App& app, EtcdSecurity& security) {
  const auto option = [&](const char* name, std::string& value, const char* type, const char* what) {
    app.add_option(name, value, what)->type_name(type)->group("etcd");
  };
  option("--store-cacert", security.authorities, "FILE",
         "PEM file of the authorities whose certificates members may have [the system's]");
  option("--store-cert", security.certificate, "FILE", "PEM file of the certificate that is shown to members");
  option("--store-key", security.key, "FILE", "PEM file of its key [the same file]");
  option("--store-user", security.user, "NAME",
         "User of etcd; the password is in the environment, CORBEL_NAMED_STORE_PASSWORD, or in a file");
  option("--store-password-file", security.password_file, "FILE", "Its first line is the password; read at each login");
}

/// What makes no sense together; nothing if it does.
std::optional<Stop> check_security(const std::string& url, EtcdSecurity& security) {
  const bool has_files = !security.authorities.empty() || !security.certificate.empty() || !security.key.empty();
  const bool has_user = !security.user.empty() || !security.password_file.empty();
  if ((has_files || has_user) && !is_etcd(url)) {
    return Stop{"--store-cacert, -cert, -key, -user and -password-file are for --store etcds://... or etcd://...\n", 2};
  }
  if (has_files && !url.starts_with("etcds://")) {
    return Stop{"--store-cacert, --store-cert and --store-key need --store etcds://...: etcd:// is not encrypted\n", 2};
  }
  if (!security.key.empty() && security.certificate.empty()) return Stop{"--store-key needs --store-cert\n", 2};
  if (security.user.find(':') != std::string::npos) {
    return Stop{"--store-user: the name alone; the password belongs into --store-password-file\n", 2};
  }
  if (!has_user) return std::nullopt;
  if (security.user.empty()) return Stop{"--store-password-file needs --store-user\n", 2};
  security.password = environment("CORBEL_NAMED_STORE_PASSWORD");
  if (security.password.empty() && security.password_file.empty()) {
    return Stop{"--store-user needs --store-password-file or CORBEL_NAMED_STORE_PASSWORD\n", 2};
  }
  return std::nullopt;
}

void describe(CLI::App& app, Arguments& arguments, Seconds& seconds, std::vector<std::string>& publish) {
  app.set_version_flag("-V,--version", "corbel-named " CORBEL_VERSION);
  app.add_option("--data", arguments.place.data, "The database file")
      ->capture_default_str()
      ->envname("CORBEL_NAMED_DATA");
  app.add_option("--store", arguments.place.url,
                 "Keep the names where several corbel-named may share them: in etcd, "
                 "etcd://HOST:PORT[,HOST:PORT...]/PREFIX (etcds:// for TLS), or "
                 "in PostgreSQL, postgresql://HOST/DATABASE or libpq's KEYWORD=VALUE ...; passwords from PGPASSFILE or "
                 "PGSERVICEFILE")
      ->type_name("URL");
  app.add_option("--store-connections", arguments.place.connections,
                 "Connections to etcd or PostgreSQL that look names up at the same time; one more makes the changes")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  describe_security(app, arguments.place.security);
  app.add_option("--port", arguments.port,
                 "TCP port; remembered with the names. 0: one that the system chooses [2809, or what is remembered]")
      ->check(CLI::Range(0, 65535));
  app.add_option("--host", arguments.host, "Address or name to listen at [all interfaces]");
  app.add_option("--listen", arguments.listen, "Endpoints instead of host and port: tcp://HOST:PORT, unix:///PATH");
  app.add_option("--advertise", arguments.advertise,
                 "Tell the network of this service by multicast DNS (avahi-daemon), under this name [nothing]")
      ->type_name("NAME");
  auto* const local = app.add_flag("--local", arguments.local,
                                   "Listen where processes of this host look for NameService by themselves, too "
                                   "(-ORBLocalServices) [if neither endpoints nor port 0 are given]");
  app.add_flag("--no-local", arguments.no_local, "Do not")->excludes(local);
  app.add_option(
         "--publish", publish,
         "HOST:PORT where the same names are found, too; references to contexts say so. Those who share a store "
         "know each other without it")
      ->type_name("HOST:PORT")
      ->allow_extra_args(false);
  app.add_option("--member-lease", seconds.member_lease,
                 "Seconds; references lead to a process that shares the store until it was silent for so long")
      ->check(CLI::Range(1L, 86'400L))
      ->capture_default_str();
  app.add_option("--ior-file", arguments.ior_file, "Write the root context's reference to this file");
  CLI::Option* const metrics =
      app.add_option("--metrics", arguments.metrics,
                     "Serve metrics by HTTP at HOST:PORT, for Prometheus and `corbel top`; port 0: any [nowhere]");
  app.add_flag(
         "--metrics-object", arguments.metrics_object,
         "Serve them to CORBA clients, too: all that reach this service can read corbaloc::HOST:PORT/CorbelMetrics")
      ->needs(metrics);
  app.add_option("--error-log", arguments.error_log, "Append what is said on standard error to this file");
  app.add_option("--durability", arguments.place.durability,
                 "A change is acknowledged when it is on the disk (power-loss), or with the system (process), which is "
                 "faster and survives everything but the end of the machine")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Durability>{{"power-loss", Durability::power_loss}, {"process", Durability::process}}))
      ->default_str("power-loss");
  app.add_option("--import-omninames", arguments.import_file,
                 "Import omniNames' data (omninames-HOST.dat or .log) into a new database, and end");
  app.add_flag("--check", arguments.check, "Check the database, count what is in it, and end");
  app.add_flag("--prune", arguments.prune,
               "Destroy the contexts that are empty and that no name of this database leads to, and end");
  app.add_option("--prune-age", seconds.prune_age, "Seconds; --prune leaves contexts alone that were made since")
      ->check(CLI::Range(0L, 1'000'000'000L))
      ->capture_default_str();
  const auto limit = [&](const char* name, auto& value, const char* what) {
    app.add_option(name, value, what)->check(CLI::Range(1L, 1'000'000'000L))->capture_default_str()->group("Limits");
  };
  limit("--max-contexts", arguments.store.contexts, "Contexts");
  limit("--max-bindings", arguments.store.bindings, "Bindings in all contexts");
  limit("--max-bindings-per-context", arguments.store.bindings_per_context, "Bindings in one context");
  limit("--max-reference", arguments.store.reference_octets, "Octets of a reference");
  limit("--max-components", arguments.service.names.components, "Components of a name");
  limit("--max-component-octets", arguments.service.names.component_octets, "Octets of an id, and of a kind");
  limit("--max-list", arguments.service.list, "Bindings in one answer; the others come through the iterator");
  limit("--max-list-octets", arguments.service.list_octets, "Octets of the names in one answer, about; likewise");
  limit("--max-iterators", arguments.service.iterators, "Iterators; then the one unused for longest is gone");
  limit("--iterator-idle", seconds.iterator_idle, "Seconds after which an iterator that is not used is gone");
  limit("--max-lease", seconds.lease, "Seconds of a lease; who asks for more is granted these");
  limit("--max-foreign-calls", arguments.service.foreign_calls, "Names followed into other services at the same time");
  app.footer(
      "omniNames' -start [PORT], -logdir DIR, -errlog FILE, -always, -ignoreport, -nohostname and -ORBendPoint are\n"
      "understood; DIR then holds names.db. All -ORB options of Corbel are, too: -ORBPublishHost for hosts behind "
      "NAT,\n"
      "-ORBLogLevel info, ...\n"
      "Exit status: 0 ended by SIGTERM or SIGINT, 1 it cannot serve (standard error says why), 2 wrong usage.");
}

}  // namespace

std::optional<Stop> read_arguments(const std::vector<std::string>& line, Arguments& arguments) {
  arguments.place.data = default_data();
  arguments.orb = kOrbDefaults;
  std::vector<std::string> own;
  if (auto stop = Line(line).split(own, arguments.orb)) return stop;
  const auto given = [&](std::string_view option) {
    return std::any_of(own.begin(), own.end(), [&](const std::string& word) {
      return word == option || word.starts_with(std::string(option) + "=");
    });
  };
  // The environment may say --data all the same, as that of the unit for systemd does.
  if (given("--store") && given("--data")) return Stop{"--store excludes --data and -logdir\n", 2};
  CLI::App app("The naming service: names for objects of any ORB, kept in one file, in etcd or in PostgreSQL.",
               "corbel-named");
  Seconds seconds{arguments.service.lease.count(), arguments.member_lease.count() / 1000,
                  arguments.service.iterator_idle.count() / 1000, arguments.prune_age.count()};
  std::vector<std::string> publish;
  describe(app, arguments, seconds, publish);
  try {
    std::reverse(own.begin(), own.end());  // as CLI11 takes them
    app.parse(own);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    const int status = app.exit(error, out, out);
    return Stop{out.str(), status == 0 ? 0 : 2};
  }
  arguments.service.iterator_idle = std::chrono::seconds(seconds.iterator_idle);
  arguments.prune_age = std::chrono::seconds(seconds.prune_age);
  arguments.service.lease = std::chrono::seconds(seconds.lease);
  arguments.member_lease = std::chrono::seconds(seconds.member_lease);
  for (const auto& each : publish) {
    const auto address = address_of(each);
    if (!address) return Stop{"--publish: '" + each + "' is not HOST:PORT\n", 2};
    arguments.publish.push_back(*address);
  }
  StorePlace& place = arguments.place;
  place.patience = milliseconds_of(arguments.orb, "-ORBCallTimeout").value_or(place.patience);
  place.connect_patience = milliseconds_of(arguments.orb, "-ORBConnectTimeout").value_or(place.connect_patience);
  if (auto stop = check_security(place.url, place.security)) return stop;
  if (!place.url.empty() && !is_etcd(place.url) && arguments.service.names.component_octets > kMostOctetsInPostgres) {
    return Stop{"--max-component-octets: PostgreSQL's indexes have room for 1300 octets\n", 2};
  }
  return std::nullopt;
}

}  // namespace corbel::naming
