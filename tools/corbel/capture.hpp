// SPDX-License-Identifier: Apache-2.0
// Capture files: pcapng as Wireshark has it, written as if what a relay passes on had been seen on a network; and pcap
// or pcapng read, with the octets of TCP connections in order.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "output_file.hpp"
#include "relay.hpp"

namespace corbel::tool {

/// Writes a pcapng file. Thread-safe. Each piece is on disk when the function returns.
class CaptureWriter {
 public:
  /// Throws std::runtime_error if the file cannot be written. Stops, with one line on standard error, after
  /// `most_octets`.
  CaptureWriter(const std::string& path, std::uint64_t most_octets);

  void octets(const Ends& ends, Way way, base::ConstByteSpan octets, std::chrono::system_clock::time_point when);
  void end(const Ends& ends, Way way, std::chrono::system_clock::time_point when);
  /// True if the file could not be written to its end; a line on standard error has said so.
  bool failed();

 private:
  /// What TCP would have counted so far on a link, each way.
  using Sequence = std::array<std::uint32_t, 2>;

  void begin(const Ends& ends, std::chrono::system_clock::time_point when);
  void packet(const Ends& ends, Way way, std::uint8_t flags, base::ConstByteSpan octets,
              std::chrono::system_clock::time_point when);
  void write(base::ConstByteSpan block);
  bool written();
  void flush();

  std::mutex mutex_;
  OutputFile file_;
  std::string pending_;
  const std::uint64_t most_octets_;
  std::uint64_t written_ = 0;
  bool failed_ = false;
  std::map<unsigned, Sequence> sequences_;
};

/// Reads a capture file.
class CaptureReader {
 public:
  struct Piece {
    Ends ends;
    Way way = Way::there;
    base::ConstByteSpan octets;  ///< empty: octets are missing here
    std::chrono::system_clock::time_point when;
  };

  /// Throws std::runtime_error if this is no capture file, or one that cannot be read.
  explicit CaptureReader(const std::string& path);

  /// Calls `take` with what TCP connections carried, in order. The side that sends the first SYN, or octets first, is
  /// the client. Throws std::runtime_error for a file that is cut off; what was before has been given.
  void read(const std::function<void(const Piece&)>& take);

 private:
  using When = std::chrono::system_clock::time_point;
  struct Flow {
    std::uint32_t next = 0;
    bool known = false;
    std::map<std::uint32_t, base::Bytes> early;  ///< by distance from next when they came
    std::size_t early_octets = 0;
  };
  struct Stream {
    Ends ends;
    std::array<Flow, 2> flows;
  };
  struct Segment {
    ipc::InetAddress from, to;
    std::uint32_t sequence = 0;
    bool syn = false;
    base::ConstByteSpan octets;
  };

  bool next_block(base::Bytes& block);
  void read_pcap(const std::function<void(const Piece&)>& take);
  void read_pcapng(const std::function<void(const Piece&)>& take);
  void frame(std::uint32_t link_type, base::ConstByteSpan octets, When when);
  void segment(const Segment& segment, When when);
  void deliver(Stream& stream, Way way, base::ConstByteSpan octets, When when);
  void skip_gap(Stream& stream, Way way, When when);
  void deliver_early(Stream& stream, Way way, When when);
  std::uint32_t number(base::ConstByteSpan octets, std::size_t at, std::size_t size) const;
  bool fill(base::ByteSpan room);

  std::ifstream file_;
  const std::string path_;
  bool swapped_ = false;
  bool nanoseconds_ = false;
  std::array<base::Octet, 24> head_{};
  std::vector<std::pair<std::uint32_t, std::uint64_t>> interfaces_;  ///< link type, ticks per second
  std::map<std::pair<std::string, std::string>, std::size_t> by_ends_;
  std::vector<Stream> streams_;
  When last_;  ///< when the last packet was seen
  const std::function<void(const Piece&)>* take_ = nullptr;
};

}  // namespace corbel::tool
