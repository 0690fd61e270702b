// SPDX-License-Identifier: Apache-2.0
// corbel record: a conversation as JSON lines.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "messages.hpp"
#include "output_file.hpp"
#include "recording.hpp"

namespace corbel::tool {
namespace {

using Wall = std::chrono::system_clock;
using Steady = std::chrono::steady_clock;

struct RecordArguments {
  std::string reference;
  std::string output;
  std::string ior_file;
  Files files;
  RelayOptions relay;
  bool json = false;
};

/// Writes exchanges in the order in which they end. Thread-safe.
class Recorder {
 public:
  Recorder(const std::string& path, const std::string& reference) : file_(path) {
    if (!write(recording_head(reference))) throw std::runtime_error("cannot write " + path);
  }

  /// Once the file cannot be written it gets no more, and clients and server go on talking.
  void add(const Exchange& exchange) {
    const std::lock_guard lock(mutex_);
    if (failed_) return;
    failed_ = !write(to_json(exchange));
    if (failed_) {
      std::cerr << "corbel: " << file_.path() << " cannot be written any more: what comes is not in it\n";
      return;
    }
    ++count_;
    if (!exchange.no_arguments.empty() || !exchange.no_result.empty()) ++in_part_;
  }
  /// A message could not be read: its call is not in the file.
  void miss(const std::string& why) {
    const std::lock_guard lock(mutex_);
    if (missed_++ == 0) why_missed_ = why;
  }
  /// What became of it, in words. When nothing is added any more.
  std::string summary() const {
    std::string text = std::to_string(count_) + " calls are in " + file_.path();
    if (failed_) text += ", not all that passed";
    if (in_part_ > 0) text += ", " + std::to_string(in_part_) + " of them in part, as no_arguments and no_result say";
    if (missed_ > 0) text += "; " + std::to_string(missed_) + " messages could not be read: " + why_missed_;
    return text;
  }
  Json summary_json() const {
    Json json = {{"calls", count_}, {"in_part", in_part_}, {"unreadable", missed_}};
    if (missed_ > 0) json["problem"] = why_missed_;
    json["written"] = !failed_;
    return json;
  }
  std::size_t missed() const { return missed_; }
  bool failed() const { return failed_; }

 private:
  bool write(const Json& json) { return file_.write(json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n'); }

  std::mutex mutex_;
  OutputFile file_;
  std::size_t count_ = 0, in_part_ = 0, missed_ = 0;
  std::string why_missed_;  ///< the first of them
  bool failed_ = false;
};

/// Puts requests and replies together. The listener calls see() one at a time.
class RecordTalk final : public Talk {
 public:
  RecordTalk(Interpreter& interpreter, Recorder& recorder)
      : recorder_(recorder), listener_(interpreter, [this](const Seen& seen) { see(seen); }) {}

  bool octets(Way way, base::ConstByteSpan octets, Link& link) override {
    listener_.octets(way, octets, Steady::now());
    return link.send(way, octets);
  }

 private:
  void see(const Seen& seen) {
    if (seen.kind == "request") {
      Exchange exchange{.operation = seen.operation, .interface = seen.interface, .object = to_base64(seen.key)};
      exchange.oneway = seen.oneway;
      exchange.time = std::chrono::duration<double>(Wall::now().time_since_epoch()).count();
      if (seen.operation.empty()) return recorder_.miss(seen.problem);
      if (!seen.values.is_null() && seen.problem.empty())
        exchange.arguments = seen.values;
      else
        exchange.no_arguments = why_not(seen);
      if (seen.oneway) return recorder_.add(exchange);
      constexpr std::size_t kMostOpen = 4096;
      if (open_.size() >= kMostOpen) open_.erase(open_.begin());
      open_[{seen.way, seen.id}] = std::move(exchange);
    } else if (seen.kind == "reply") {
      const auto asked = open_.find({seen.way == Way::there ? Way::back : Way::there, seen.id});
      if (asked == open_.end()) return;
      Exchange exchange = std::move(asked->second);
      open_.erase(asked);
      exchange.milliseconds = std::max(0.0, seen.milliseconds);
      if (seen.status == "forward" || seen.status == "needs addressing mode") return;  // the client asks again
      const bool read = !seen.values.is_null() && seen.problem.empty();
      if (!read) exchange.no_result = why_not(seen);
      if (!seen.exception.empty()) {
        exchange.exception = seen.exception;
        exchange.members = seen.values;
      } else if (read) {
        exchange.result = seen.values;
      }
      recorder_.add(exchange);
    } else if (seen.kind == "unreadable") {
      recorder_.miss(seen.problem);
    }
  }

  static std::string why_not(const Seen& seen) {
    return seen.problem.empty() ? "the IDL files do not say what it is" : seen.problem;
  }

  Recorder& recorder_;
  std::map<std::pair<Way, std::uint32_t>, Exchange> open_;
  Listener listener_;
};

int record(const RecordArguments& arguments) {
  block_signals();
  const Target target = relay_target(arguments.reference);
  Interpreter interpreter(arguments.files);
  Recorder recorder(arguments.output, ior::to_string(target.ior));
  {
    Relay relay(arguments.relay, target.host, target.port,
                [&](const Ends&) { return std::make_unique<RecordTalk>(interpreter, recorder); });
    announce(relay, target, arguments.ior_file, arguments.json);
    serve(relay);
  }
  if (arguments.json)
    std::cout << recorder.summary_json().dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
  else
    std::cerr << "corbel: " << recorder.summary() << '\n';
  if (recorder.failed()) return kUsage;
  return recorder.missed() == 0 ? kDone : kUserException;
}

}  // namespace

void add_record(CLI::App& app, Run& run) {
  const auto arguments = std::make_shared<RecordArguments>();
  CLI::App* const command =
      app.add_subcommand("record", "Write what clients and a server say to each other into a file");
  command->add_option("REF", arguments->reference, "An object of the server; what clients get leads through here")
      ->required();
  command->add_option("FILE", arguments->output, "JSON lines, one call each, for `corbel replay` and `corbel mock`")
      ->required();
  add_idl_options(*command, arguments->files, "IDL files that say what messages mean")->required();
  add_relay_options(*command, arguments->relay, arguments->ior_file);
  command->add_flag("--json", arguments->json, "Print the reference, and at the end how much is in FILE, as JSON");
  command->footer(
      "Stands between, as `corbel tap` does, until SIGINT or SIGTERM. Exit status 1: messages passed that could not be "
      "read.\n"
      "Example:\n"
      "  corbel record server.ior session.jsonl --idl plant.idl --ior-file recorded.ior\n"
      "  corbel mock session.jsonl --idl plant.idl        # serves the same answers without the plant");
  command->callback([arguments, &run] { run = [arguments] { return record(*arguments); }; });
}

}  // namespace corbel::tool
