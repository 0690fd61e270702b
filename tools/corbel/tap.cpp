// SPDX-License-Identifier: Apache-2.0
// corbel tap: what client and server say to each other.
#include <CLI/CLI.hpp>
#include <ctime>
#include <iostream>
#include <utility>

#include "capture.hpp"
#include "messages.hpp"

namespace corbel::tool {
namespace {

using Wall = std::chrono::system_clock;
using Steady = std::chrono::steady_clock;

struct TapArguments {
  std::string reference;
  std::string read;
  std::string capture;
  std::uint64_t capture_limit = 1 << 30;
  std::string ior_file;
  Files files;
  RelayOptions relay;
  std::string filter;
  long messages = 0;
  std::size_t width = 200;
  bool json = false;
};

std::string time_text(Wall::time_point when) {
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(when.time_since_epoch()).count();
  const std::time_t seconds = micros / 1'000'000;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 48> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%H:%M:%S", &parts);
  std::snprintf(text.data() + size, text.size() - size, ".%06d", static_cast<int>(micros % 1'000'000));
  return text.data();
}

/// Prints messages, one line each.
class Printer {
 public:
  explicit Printer(const TapArguments& arguments) : arguments_(arguments) {}

  void print(unsigned connection, Wall::time_point when, const Seen& seen) {
    if (!arguments_.filter.empty() && seen.operation != arguments_.filter) return;
    const std::string line = arguments_.json ? json(connection, when, seen) : text(connection, when, seen);
    const std::lock_guard lock(mutex_);
    std::cout << line << '\n';
    if (!output_written() && !std::exchange(lost_, true))  // clients and server go on talking
      std::cerr << "corbel: standard output cannot be written any more; messages are passed on all the same\n";
    ++printed_;
  }
  bool done() const { return arguments_.messages > 0 && printed_ >= arguments_.messages; }

 private:
  static std::string json(unsigned connection, Wall::time_point when, const Seen& seen) {
    Json json{{"time", std::chrono::duration<double>(when.time_since_epoch()).count()},
              {"connection", connection},
              {"way", seen.way == Way::there ? "there" : "back"},
              {"kind", seen.kind},
              {"giop", "1." + std::to_string(seen.minor)}};
    if (seen.id != 0) json["id"] = seen.id;
    json["octets"] = seen.octets;
    if (seen.on_wire != 0) {
      json["compressed"] = seen.compressor;
      json["wire"] = seen.on_wire;
    }
    if (!seen.operation.empty()) json["operation"] = seen.operation;
    if (!seen.interface.empty()) json["interface"] = seen.interface;
    if (seen.oneway) json["oneway"] = true;
    if (!seen.key.empty()) json["key"] = to_base64(seen.key);
    if (!seen.status.empty()) json["status"] = seen.status;
    if (!seen.exception.empty()) json["exception"] = seen.exception;
    if (!seen.values.is_null()) json["values"] = seen.values;
    if (!seen.problem.empty()) json["problem"] = seen.problem;
    if (seen.milliseconds >= 0) json["ms"] = seen.milliseconds;
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  std::string text(unsigned connection, Wall::time_point when, const Seen& seen) const {
    std::string line = time_text(when) + " #" + std::to_string(connection) + (seen.way == Way::there ? " -> " : " <- ");
    line += seen.kind;
    if (seen.id != 0) line += " " + std::to_string(seen.id);
    if (!seen.interface.empty())
      line += " " + seen.interface + "::" + base::printable(seen.operation);
    else if (!seen.operation.empty())
      line += " " + base::printable(seen.operation);
    if (seen.oneway) line += " oneway";
    if (!seen.status.empty() && seen.status != "ok") line += " " + seen.status;
    if (!seen.exception.empty()) line += " " + base::printable(seen.exception);
    line += values_text(seen);
    if (seen.milliseconds >= 0) {
      std::array<char, 32> took{};
      std::snprintf(took.data(), took.size(), "  (%.1f ms)", seen.milliseconds);
      line += took.data();
    }
    if (seen.on_wire != 0) line += "  [" + packing_text(seen) + "]";
    if (!seen.problem.empty()) line += "  [" + base::printable(seen.problem) + "]";
    return line;
  }

  /// "zlib: 1352 for 8284 octets".
  static std::string packing_text(const Seen& seen) {
    std::string text = seen.compressor.empty() ? "compressed" : seen.compressor;
    text += ": " + std::to_string(seen.on_wire);
    if (seen.octets != seen.on_wire) text += " for " + std::to_string(seen.octets);
    return text + " octets";
  }

  std::string values_text(const Seen& seen) const {
    if (seen.values.is_null()) return seen.octets > 0 ? "  " + std::to_string(seen.octets) + " octets" : "";
    std::string text = seen.values.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (arguments_.width > 0 && text.size() > arguments_.width) {
      std::size_t end = arguments_.width;
      while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // characters stay whole
      text = text.substr(0, end) + "... (" + std::to_string(text.size()) + " characters)";
    }
    return "  " + text;
  }

  const TapArguments& arguments_;
  std::mutex mutex_;
  bool lost_ = false;
  std::atomic<long> printed_ = 0;
};

/// Passes octets on, and then looks at them.
class TapTalk final : public Talk {
 public:
  TapTalk(const Ends& ends, Interpreter& interpreter, Printer& printer, CaptureWriter* capture)
      : ends_(ends), printer_(printer), capture_(capture), listener_(interpreter, [this, &printer](const Seen& seen) {
          printer.print(ends_.number, Wall::now(), seen);
        }) {}

  bool octets(Way way, base::ConstByteSpan octets, Link& link) override {
    const auto now = Steady::now();
    // Written down first, so that a request comes before its reply.
    if (capture_ != nullptr) capture_->octets(ends_, way, octets, Wall::now());
    listener_.octets(way, octets, now);
    const bool sent = link.send(way, octets);
    if (printer_.done()) end_serving();  // now that the last message has gone where it should
    return sent;
  }
  void end(Way way, Link& link) override {
    if (capture_ != nullptr) capture_->end(ends_, way, Wall::now());
    link.finish(way);
  }

 private:
  const Ends ends_;
  Printer& printer_;
  CaptureWriter* const capture_;
  Listener listener_;
};

int relay(const TapArguments& arguments) {
  block_signals();
  const Target target = relay_target(arguments.reference);
  Interpreter interpreter(arguments.files);
  Printer printer(arguments);
  std::optional<CaptureWriter> capture;
  if (!arguments.capture.empty()) capture.emplace(arguments.capture, arguments.capture_limit);
  Relay relay(arguments.relay, target.host, target.port, [&](const Ends& ends) {
    return std::make_unique<TapTalk>(ends, interpreter, printer, capture ? &*capture : nullptr);
  });
  announce(relay, target, arguments.ior_file, arguments.json);
  serve(relay);
  if (capture && capture->failed()) throw std::runtime_error("not all is in " + arguments.capture);
  return kDone;
}

int read(const TapArguments& arguments) {
  Interpreter interpreter(arguments.files);
  Printer printer(arguments);
  CaptureReader reader(arguments.read);
  struct Heard {
    std::unique_ptr<Listener> listener;
    Wall::time_point when;
  };
  std::map<unsigned, Heard> all;
  std::size_t connections = 0;
  reader.read([&](const CaptureReader::Piece& piece) {
    if (printer.done()) return;
    Heard& heard = all[piece.ends.number];
    heard.when = piece.when;
    if (heard.listener == nullptr) {
      ++connections;
      const unsigned number = piece.ends.number;
      heard.listener = std::make_unique<Listener>(
          interpreter, [&printer, &heard, number](const Seen& seen) { printer.print(number, heard.when, seen); });
      // What is no GIOP stays silent.
      for (const Way way : {Way::there, Way::back}) heard.listener->gap(way);
    }
    if (piece.octets.empty()) return heard.listener->gap(piece.way);
    heard.listener->octets(piece.way, piece.octets, Steady::time_point(piece.when.time_since_epoch()));
  });
  if (connections == 0) std::cerr << "corbel: the file holds no octets of TCP connections\n";
  return kDone;
}

void add_options(CLI::App& command, TapArguments& arguments) {
  CLI::Option* const reference =
      command.add_option("REF", arguments.reference, "An object of the server; what clients get leads through here");
  CLI::Option* const read = command.add_option("--read", arguments.read, "Read this pcap or pcapng file instead")
                                ->check(CLI::ExistingFile)
                                ->type_name("FILE");
  reference->excludes(read);
  add_idl_options(command, arguments.files, "IDL files that say what messages mean");
  add_relay_options(command, arguments.relay, arguments.ior_file);
  command.add_option("-w,--capture", arguments.capture, "Write a pcapng file for Wireshark and tshark")
      ->excludes(read)
      ->type_name("FILE");
  command.add_option("--capture-limit", arguments.capture_limit, "Octets of that file, at most")->capture_default_str();
  command.add_option("--operation", arguments.filter, "Print messages of this operation only (as on the wire: _get_x)")
      ->type_name("NAME");
  command.add_option("-n,--messages", arguments.messages, "End after so many were printed")
      ->check(CLI::Range(1L, 1'000'000'000'000L))
      ->type_name("N");
  command.add_option("--width", arguments.width, "Characters of values in a line, at most; 0: all")
      ->capture_default_str();
  command.add_flag("--json", arguments.json, "Print one JSON object a line");
}

}  // namespace

void add_tap(CLI::App& app, Run& run) {
  const auto arguments = std::make_shared<TapArguments>();
  CLI::App* const command = app.add_subcommand("tap", "Show what clients and a server say to each other");
  add_options(*command, *arguments);
  command->footer(
      "Stands between: prints the reference that leads through it, and passes on all that comes. References inside\n"
      "messages are passed on as they are, so calls to these objects go past it. Runs until SIGINT or SIGTERM.\n"
      "Example: corbel tap server.ior --idl plant.idl -w talk.pcapng");
  command->callback([arguments, &run] {
    if (arguments->reference.empty() && arguments->read.empty()) throw CLI::RequiredError("REF or --read");
    run = [arguments] { return arguments->read.empty() ? relay(*arguments) : read(*arguments); };
  });
}

}  // namespace corbel::tool
