// SPDX-License-Identifier: Apache-2.0
// corbel-ttcp: the classic ttcp, with C sockets, wrapper facades, RPC and ORBs.
#include <CLI/CLI.hpp>
#include <iostream>

#include "ttcp/ends.hpp"

int main(int argc, char** argv) {
  CLI::App app(
      "Streams user data from one machine to another and says how fast that was: by C sockets, the wrapper facades, "
      "RPC, Corbel or omniORB. Start it with -r on one machine, then with -t on the other.",
      "corbel-ttcp");
  bench::StreamOptions options;
  bool receive = false;
  bool datagrams = false;
  std::string no_delay = "on";
  std::string host;
  app.add_flag("-r,--receive", receive, "receive one stream of whatever the transmitter sends, then end");
  app.add_option("-t,--transmit", host, "transmit to the receiver on this host")->type_name("HOST");
  app.add_option("-l,--length", options.buffer, "with -t: octets of a buffer, at most 64 MiB")
      ->check(CLI::Range(1, 64 << 20))
      ->capture_default_str();
  app.add_option("-n,--count", options.calls, "with -t: buffers to send")
      ->check(CLI::Range(1UL, 1'000'000'000UL))
      ->capture_default_str();
  app.add_option("-b,--queue", options.queue, "octets of this side's socket queues; 0: the system's")
      ->check(CLI::Range(0, 1 << 30))
      ->capture_default_str();
  app.add_option(
         "-D,--no-delay", no_delay,
         "of this side's TCP connections, for c, wrappers and corbel: on, they send at once; off, they wait for "
         "more as TCP does by itself (ttcp without -D)")
      ->expected(0, 1)
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  app.add_flag("-u,--udp", datagrams, "with -t: datagrams, as --transport udp; c, wrappers and corbel");
  app.add_option(
         "--cpu", options.cpu,
         "bind this side's process to this processor; the same one on both sides of one machine: streams on one "
         "processor")
      ->check(CLI::Range(0, 4095));
  app.add_option("-p,--port", options.port, "the receiver's port; with -r, 0: the system chooses")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  app.add_option("--listen", options.listen, "with -r: the numeric address to listen on; everybody may connect")
      ->capture_default_str();
  app.add_option("--model", options.model, "c, wrappers, rpc, corbel (the default of -t) or omniorb");
  app.add_option("--protocol", options.protocol, "giop, giop_lite, giop-spin; rpc: stubs, opaque; c: none, spin");
  app.add_option("--transport", options.transport,
                 "tcp (the default of -t), udp; c, corbel: tls; on one machine also unix, shm");
  app.add_option("--type", options.type, "octet (the default of -t), char, short, long, double, string, struct");
  app.add_option("--mode", options.mode, "oneway, twoway, or ring: the data comes back")
      ->check(CLI::IsMember({"oneway", "twoway", "ring"}))
      ->capture_default_str();
  app.add_option("--json", options.json, "write the figures to this file, too");
  app.set_version_flag("-V,--version", "corbel-ttcp " CORBEL_TTCP_VERSION);
  app.footer(
      "A receiver for which --model, --protocol, --transport or --type is given refuses any other. Over udp "
      "some may get lost: what is counted is what arrived, and the loss is told. Over tls the receiver makes a "
      "certificate "
      "for the run, and nobody looks at it: everything is encrypted, and nobody is known. What is measured listens on "
      "ports of "
      "its own, which the system chooses.\n\n"
      "Examples:\n"
      "  corbel-ttcp -r                              on the one machine\n"
      "  corbel-ttcp -t HOST                         on the other: octets by Corbel\n"
      "  corbel-ttcp -t HOST --model c               the same by C sockets\n"
      "  corbel-ttcp -t HOST --protocol giop_lite --type struct -l 65536 -b 65536");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (receive == !host.empty()) {
    std::cerr << "corbel-ttcp: say either -r or -t HOST (see --help)\n";
    return 2;
  }
  if (receive && app.count("-l") + app.count("-n") + app.count("--mode") > 0) {
    std::cerr << "corbel-ttcp: -l, -n and --mode are for -t: the transmitter decides what is sent (see --help)\n";
    return 2;
  }
  if (datagrams && (receive || (!options.transport.empty() && options.transport != "udp"))) {
    std::cerr << "corbel-ttcp: -u is for -t, and is the same as --transport udp (see --help)\n";
    return 2;
  }
  if (datagrams) options.transport = "udp";
  options.no_delay = no_delay != "off";
  try {
    return receive ? bench::receive_stream(options) : bench::transmit_stream(options, host);
  } catch (const std::exception& failure) {
    std::cerr << "corbel-ttcp: " << failure.what() << '\n';
  }
  return 1;
}
