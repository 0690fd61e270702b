// SPDX-License-Identifier: Apache-2.0
#include "exposition.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>

#include "corbel/ipc/connector.hpp"

namespace corbel::tool {
namespace {

constexpr std::size_t kLargestPage = 16 << 20;
constexpr std::size_t kMostOperations = 10'000;

struct Line {
  std::string name;
  std::map<std::string, std::string> labels;
  double value = 0;
};

/// name{label="value",...} number; false for anything else.
bool read_line(const std::string& text, Line& line) {
  std::size_t at = text.find_first_of("{ ");
  if (at == std::string::npos || at == 0 || text[0] == '#') return false;
  line.name = text.substr(0, at);
  line.labels.clear();
  if (text[at] == '{') {
    ++at;
    while (at < text.size() && text[at] != '}') {
      const std::size_t equals = text.find("=\"", at);
      if (equals == std::string::npos) return false;
      const std::string name = text.substr(at, equals - at);
      std::string value;
      for (at = equals + 2; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\' && at + 1 < text.size()) ++at;
        value += text[at];
      }
      if (at >= text.size()) return false;
      line.labels[name] = value;
      if (++at < text.size() && text[at] == ',') ++at;
    }
    if (at >= text.size()) return false;
    ++at;
  }
  const char* const begin = text.c_str() + at;
  char* end = nullptr;
  line.value = std::strtod(begin, &end);
  return end != begin && std::isfinite(line.value) && line.value >= 0 && line.value < 1.8e19;
}

void take(const Line& line, Figures& figures) {
  const auto label = [&](const char* name) {
    const auto found = line.labels.find(name);
    return found == line.labels.end() ? std::string() : found->second;
  };
  const auto count = static_cast<std::uint64_t>(line.value);
  if (line.name == "corbel_connections") {
    figures.connections += count;
  } else if (line.name == "corbel_requests_in_flight") {
    figures.in_flight[label("side").substr(0, 20)] = count;
  } else if (line.name == "process_resident_memory_bytes") {
    figures.resident = count;
  } else if (line.name == "process_start_time_seconds") {
    figures.start = line.value;
  } else if (line.name.starts_with("corbel_request")) {
    if (figures.operations.size() >= kMostOperations) return;
    auto& operation = figures.operations[{label("side"), label("operation")}];
    if (line.name == "corbel_requests_total") {
      const std::string outcome = label("outcome");
      const bool good = outcome == "ok" || outcome == "sent" || outcome == "elsewhere";
      (good ? operation.ok : operation.errors) += count;
    } else if (line.name == "corbel_request_seconds_sum") {
      operation.seconds = line.value;
    } else if (line.name == "corbel_request_seconds_bucket" && operation.buckets.size() < 100) {
      const std::string bound = label("le");
      operation.buckets.emplace_back(
          bound == "+Inf" ? std::numeric_limits<double>::infinity() : std::atof(bound.c_str()), count);
    }
  }
}

}  // namespace

Figures read_figures(const std::string& text) {
  Figures figures;
  bool known = false;
  Line line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (read_line(text.substr(at, end - at), line)) {
      known = known || line.name.starts_with("corbel_");
      take(line, figures);
    }
    at = end + 1;
  }
  if (!known) throw std::runtime_error("answers, but not with metrics of Corbel");
  return figures;
}

Figures::Operation difference(const Figures::Operation& now, const Figures::Operation* before) {
  Figures::Operation result = now;
  if (before == nullptr || before->ok > now.ok || before->errors > now.errors ||
      before->buckets.size() != now.buckets.size())
    return result;
  result.ok -= before->ok;
  result.errors -= before->errors;
  result.seconds = std::max(0.0, now.seconds - before->seconds);
  for (std::size_t i = 0; i < now.buckets.size(); ++i)
    result.buckets[i].second -= std::min(before->buckets[i].second, now.buckets[i].second);
  return result;
}

double quantile(const Figures::Operation& operation, double part) {
  if (operation.buckets.empty() || operation.buckets.back().second == 0) return 0;
  const double wanted = part * static_cast<double>(operation.buckets.back().second);
  double below = 0;
  std::uint64_t counted = 0;
  for (const auto& [bound, count] : operation.buckets) {
    if (static_cast<double>(count) >= wanted && count > counted) {
      if (std::isinf(bound)) return below;  // all that is known
      return below + (bound - below) * (wanted - static_cast<double>(counted)) / static_cast<double>(count - counted);
    }
    below = bound;
    counted = count;
  }
  return below;
}

std::string fetch_metrics(const std::string& address, std::chrono::milliseconds timeout) {
  const std::size_t colon = address.rfind(':');
  std::string host = colon == std::string::npos ? "127.0.0.1" : address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  const std::string port = colon == std::string::npos ? address : address.substr(colon + 1);
  const bool digits = !port.empty() && port.size() <= 5 && port.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || host.empty() || std::stoul(port) > 65535) throw std::runtime_error("is not HOST:PORT");
  const auto deadline = base::Deadline::after(timeout);
  const auto all = ipc::InetAddress::resolve(host, static_cast<std::uint16_t>(std::stoul(port)));
  if (!all) throw std::runtime_error(base::to_string(all.error()));
  auto stream = ipc::TcpConnector().connect(*all, deadline);
  if (!stream) throw std::runtime_error(base::to_string(stream.error()));
  if (!stream->set_non_blocking(true)) throw std::runtime_error("the connection is lost");
  const std::string request = "GET /metrics HTTP/1.0\r\nHost: " + host + "\r\n\r\n";
  if (const auto sent = stream->send_n(base::as_bytes(request), deadline); !sent)
    throw std::runtime_error(base::to_string(sent.error()));
  std::string answer;
  std::array<base::Octet, 16384> room{};
  for (;;) {
    if (const auto ready = stream->wait_readable(deadline); !ready)
      throw std::runtime_error(base::to_string(ready.error()));
    const auto count = stream->recv(room);
    if (!count && count.error().code == base::Code::would_block) continue;
    if (!count) throw std::runtime_error(base::to_string(count.error()));
    if (*count == 0) break;
    answer.append(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(*count));
    if (answer.size() > kLargestPage) throw std::runtime_error("answers without end");
  }
  const std::size_t body = answer.find("\r\n\r\n");
  const bool good =
      answer.starts_with("HTTP/1.") && answer.size() > 12 && answer.substr(9, 3) == "200" && body != std::string::npos;
  if (!good) throw std::runtime_error("does not give metrics by HTTP");
  return answer.substr(body + 4);
}

}  // namespace corbel::tool
