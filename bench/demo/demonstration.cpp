// SPDX-License-Identifier: Apache-2.0
#include "demo/demonstration.hpp"

#include <corbel/builtins/builtins.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <sstream>
#include <stdexcept>

#include "common/child.hpp"
#include "common/cpus.hpp"
#include "common/progress.hpp"
#include "demo/mover.hpp"

namespace demo {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kStartTimeout(30);

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// The lines of a server up to "ready": what comes before the last word, and the last word.
std::map<std::string, std::string> references_of(bench::Child& server) {
  std::map<std::string, std::string> references;
  for (;;) {
    const std::string line = server.read_line(kStartTimeout);
    if (line == "ready") return references;
    const std::size_t blank = line.rfind(' ');
    if (blank == std::string::npos) throw std::runtime_error("a server said: " + line);
    references[line.substr(0, blank)] = line.substr(blank + 1);
  }
}

/// The servers of a run: two processes and, for what cannot leave the process, ORBs in this one.
class Servers {
 public:
  explicit Servers(int cpu)
      : components_(corbel::builtins::components()),
        images_({bench::own_path(), "--as-image-server"}, {.cpu = cpu, .ends_with_input = true}),
        plain_({bench::own_path(), "--as-plain-server"}, {.cpu = cpu, .ends_with_input = true}),
        plain_addresses_(references_of(plain_)) {
    std::map<std::string, std::string> references = references_of(images_);
    for (const Combination& combination : combinations(components_)) {
      std::string reference = references[combination.protocol + " " + combination.transport];
      if (combination.in_process) reference = serve_here(combination, cpu);
      offers_.push_back({combination, reference});
    }
  }

  struct Offer {
    Combination combination;
    std::string reference;
  };
  const corbel::orb::Components& components() const { return components_; }
  const std::vector<Offer>& offers() const { return offers_; }
  /// Of "tcp" or "unix", which stand in for transports that plain sockets do not have.
  std::string plain_transport(const std::string& transport) const {
    if (transport == "tls") return "tcp";
    return plain_addresses_.contains(transport) ? transport : "unix";
  }
  const std::string& plain_address(const std::string& transport) const { return plain_addresses_.at(transport); }

  void end() {
    here_.clear();
    images_.end(std::chrono::seconds(5));
    plain_.end(std::chrono::seconds(5));
  }

 private:
  /// The ORB's threads inherit their processor from the thread that starts it.
  std::string serve_here(const Combination& combination, int cpu) {
    std::string reference;
    std::exception_ptr failure;
    std::thread([&] {
      bench::pin_to_cpu(cpu);
      try {
        here_.push_back(std::make_unique<ImageServing>(components_, combination));
        reference = here_.back()->reference();
      } catch (...) {
        failure = std::current_exception();
      }
    }).join();
    if (failure) std::rethrow_exception(failure);
    return reference;
  }

  corbel::orb::Components components_;
  bench::Child images_;
  bench::Child plain_;
  std::map<std::string, std::string> plain_addresses_;
  std::vector<std::unique_ptr<ImageServing>> here_;
  std::vector<Offer> offers_;
};

class Run {
 public:
  Run(const std::vector<File>& files, const Settings& settings)
      : files_(files), settings_(settings), servers_(server_cpu()) {
    bench::pin_to_cpu(bench::allowed_cpus().front());
    orb_ = make_orb(servers_.components(), "client", {"-ORBCollocation", "off"});
    for (const Servers::Offer& offer : servers_.offers()) add(offer);
  }

  std::vector<Achieved> run() {
    const Clock::time_point begin = Clock::now();
    bench::Progress progress(static_cast<std::size_t>(settings_.turns + 1) * movers_.size());
    for (int turn = 0; turn <= settings_.turns; ++turn) {  // the first one warms up
      if (turn > 1 && seconds_since(begin) > settings_.budget_s) break;
      for (std::size_t i = 0; i < movers_.size(); ++i) {
        progress.step((turn == 0 ? "warming up: " : "turn " + std::to_string(turn) + ": ") + achieved_[i].protocol +
                      " over " + achieved_[i].transport);
        take_turn(*movers_[i], achieved_[i], turn > 0);
      }
    }
    progress.finish();
    movers_.clear();
    orb_->destroy();
    servers_.end();
    return std::move(achieved_);
  }

 private:
  static int server_cpu() { return bench::allowed_cpus().back(); }

  /// The place of the control for a transport: the same conversation, block by block. A stream goes before it, as what
  /// sockets can do at best.
  std::size_t add_control(const std::string& transport) {
    for (const Achieved& one : achieved_) {
      if (one.protocol == kBlocks && one.transport == transport) return one.control;
    }
    const std::size_t control = achieved_.size() + 1;
    for (const bool stream : {true, false}) {
      movers_.push_back(make_plain_mover(servers_.plain_address(transport), settings_.block_size, stream));
      achieved_.push_back({stream ? kStream : kBlocks, transport, control, {}, {}, {}, {}});
    }
    return control;
  }

  void add(const Servers::Offer& offer) {
    const std::size_t control = add_control(servers_.plain_transport(offer.combination.transport));
    movers_.push_back(make_corbel_mover(orb_, offer.reference));
    achieved_.push_back({offer.combination.protocol, offer.combination.transport, control, {}, {}, {}, {}});
  }

  void take_turn(Mover& mover, Achieved& achieved, bool counts) {
    double up = 0;
    double down = 0;
    for (const File& file : files_) {
      mover.prepare(file);
      const Clock::time_point begin = Clock::now();
      mover.upload(file);
      up += seconds_since(begin);
      check(achieved, mover.arrived(file));

      received_.resize(file.blocks.size());
      for (std::size_t i = 0; i < received_.size(); ++i) received_[i].assign(file.blocks[i].size(), 0);
      const Clock::time_point middle = Clock::now();
      mover.download(file, received_);
      down += seconds_since(middle);
      check(achieved, sha256(received_) == file.digest);
      mover.forget(file);
    }
    const std::vector<double> pings = time_pings(mover);
    if (!counts) return;
    const double mebi = static_cast<double>(total_size(files_)) / (1 << 20);
    achieved.upload.push_back(mebi / up);
    achieved.download.push_back(mebi / down);
    achieved.ping_p50.push_back(bench::percentile(pings, 50));
    achieved.ping_p99.push_back(bench::percentile(pings, 99));
  }

  static void check(Achieved& achieved, bool good) {
    ++achieved.checks;
    if (!good) ++achieved.failures;
  }

  /// Microseconds, ascending.
  std::vector<double> time_pings(Mover& mover) const {
    std::vector<double> times;
    for (int i = 0; i < settings_.pings; ++i) {
      const Clock::time_point begin = Clock::now();
      mover.ping();
      times.push_back(seconds_since(begin) * 1e6);
    }
    std::sort(times.begin(), times.end());
    return times;
  }

  const std::vector<File>& files_;
  const Settings& settings_;
  Servers servers_;
  IDL::traits<CORBA::ORB>::ref_type orb_;
  std::vector<std::unique_ptr<Mover>> movers_;
  std::vector<Achieved> achieved_;
  std::vector<Block> received_;
};

}  // namespace

std::vector<Achieved> demonstrate(const std::vector<File>& files, const Settings& settings) {
  return Run(files, settings).run();
}

}  // namespace demo
