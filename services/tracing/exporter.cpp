// SPDX-License-Identifier: Apache-2.0
#include "exporter.hpp"

#include <curl/curl.h>
#include <errno.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace corbel::tracing {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostAtOnce = 512;
constexpr std::chrono::seconds kMostWait(30);  // between attempts
constexpr long kRequestMilliseconds = 10'000;
constexpr std::chrono::seconds kLastWords(2);

std::string from_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Settings completed(Settings settings) {
  if (settings.service.empty()) settings.service = from_environment("OTEL_SERVICE_NAME");
  if (settings.service.empty()) settings.service = program_invocation_short_name;
  bool whole = false;
  if (settings.endpoint.empty()) {
    settings.endpoint = from_environment("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
    whole = !settings.endpoint.empty();
  }
  if (settings.endpoint.empty()) settings.endpoint = from_environment("OTEL_EXPORTER_OTLP_ENDPOINT");
  if (settings.endpoint.empty()) settings.endpoint = "http://localhost:4318";
  if (!settings.endpoint.starts_with("http://") && !settings.endpoint.starts_with("https://")) {
    throw std::invalid_argument("the endpoint of traces, '" + settings.endpoint +
                                "', is not http://... or https://...");
  }
  if (!whole) {
    while (settings.endpoint.ends_with('/')) settings.endpoint.pop_back();
    settings.endpoint += "/v1/traces";
  }
  if (!(settings.share >= 0 && settings.share <= 1)) {
    throw std::invalid_argument("the share of traces is not from 0 to 1");
  }
  if (settings.most_waiting == 0 || settings.interval <= std::chrono::milliseconds(0)) {
    throw std::invalid_argument("spans have to be able to wait: most_waiting and interval are more than 0");
  }
  return settings;
}

Json attribute(const std::string& key, const std::string& value) {
  return {{"key", key}, {"value", {{"stringValue", value}}}};
}

std::string nanoseconds(std::chrono::nanoseconds time) {
  return std::to_string(time.count());
}

}  // namespace

/// One conversation with the collector, kept open between requests. Used by one thread.
class Exporter::Http {
 public:
  explicit Http(const Exporter& exporter) : exporter_(exporter), curl_(curl_easy_init(), &curl_easy_cleanup) {
    if (curl_ == nullptr) return;
    headers_ = curl_slist_append(nullptr, "Content-Type: application/json");
    add_headers(from_environment("OTEL_EXPORTER_OTLP_HEADERS"));
    CURL* const curl = curl_.get();
    curl_easy_setopt(curl, CURLOPT_URL, exporter.settings_.endpoint.c_str());
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers_);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, kRequestMilliseconds);
    curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, why_);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, this);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, &Http::goes_on);
    // What it answers besides the status is of no use.
    curl_easy_setopt(
        curl, CURLOPT_WRITEFUNCTION, +[](char*, std::size_t size, std::size_t count, void*) { return size * count; });
  }
  ~Http() { curl_slist_free_all(headers_); }
  Http(const Http&) = delete;
  Http& operator=(const Http&) = delete;

  struct Answer {
    bool taken = false;
    bool again = false;  ///< it is worth another attempt
    std::string error;
  };
  Answer post(const std::string& body) {
    if (curl_ == nullptr) return {false, true, "no memory for HTTP"};
    why_[0] = '\0';
    curl_easy_setopt(curl_.get(), CURLOPT_POSTFIELDS, body.data());
    curl_easy_setopt(curl_.get(), CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    const CURLcode code = curl_easy_perform(curl_.get());
    if (code != CURLE_OK) return {false, true, why_[0] != '\0' ? why_ : curl_easy_strerror(code)};
    long status = 0;
    curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &status);
    if (status >= 200 && status < 300) return {true, false, ""};
    // These, the specification of OTLP/HTTP says, may be tried again.
    const bool again = status == 429 || status == 502 || status == 503 || status == 504;
    return {false, again, "the collector answers with status " + std::to_string(status)};
  }

 private:
  /// "key=value,key=value", values as in URLs.
  void add_headers(const std::string& list) {
    for (std::size_t at = 0; at < list.size();) {
      const std::size_t end = std::min(list.find(',', at), list.size());
      const std::string one = list.substr(at, end - at);
      at = end + 1;
      const std::size_t equals = one.find('=');
      if (equals == std::string::npos) continue;
      int size = 0;
      char* const value =
          curl_easy_unescape(curl_.get(), one.c_str() + equals + 1, static_cast<int>(one.size() - equals - 1), &size);
      if (value == nullptr) continue;
      const std::string header = one.substr(0, equals) + ": " + std::string(value, static_cast<std::size_t>(size));
      curl_free(value);
      if (header.find_first_of("\r\n") == std::string::npos) headers_ = curl_slist_append(headers_, header.c_str());
    }
  }

  static int goes_on(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    const Exporter& exporter = static_cast<Http*>(self)->exporter_;
    const std::lock_guard lock(exporter.mutex_);
    return exporter.end_ && Clock::now() >= *exporter.end_ ? 1 : 0;
  }

  const Exporter& exporter_;
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl_;
  curl_slist* headers_ = nullptr;
  char why_[CURL_ERROR_SIZE] = {};
};

Exporter::Exporter(Settings settings) : settings_(completed(std::move(settings))), process_(::getpid()) {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (ready != CURLE_OK) throw std::runtime_error(curl_easy_strerror(ready));
  thread_ = std::thread([this] { run(); });
}

Exporter::~Exporter() {
  end();
}

void Exporter::end() {
  if (!thread_.joinable()) return;
  if (!is_here()) return thread_.detach();  // it is the parent's
  {
    const std::lock_guard lock(mutex_);
    end_ = Clock::now() + kLastWords;
  }
  wanted_.notify_all();
  thread_.join();
}

bool Exporter::is_here() const noexcept {
  return ::getpid() == process_;
}

void Exporter::put(SpanData span) noexcept try {
  if (!is_here()) return;
  const std::lock_guard lock(mutex_);
  if (end_ || waiting_.size() + leaving_ >= settings_.most_waiting) {
    ++figures_.dropped;
    return;
  }
  waiting_.push_back(std::move(span));
  if (waiting_.size() == 1 || waiting_.size() == kMostAtOnce) wanted_.notify_one();
} catch (const std::exception&) {  // no memory for it
  const std::lock_guard lock(mutex_);
  ++figures_.dropped;
}

bool Exporter::flush(std::chrono::milliseconds most) {
  if (!is_here()) return false;
  const auto deadline = Clock::now() + most;
  std::unique_lock lock(mutex_);
  // An attempt that has begun already does not have all.
  const std::uint64_t enough = attempts_ + (leaving_ != 0 ? 2 : 1);
  flushes_ = true;
  wanted_.notify_one();
  changed_.wait_until(lock, deadline,
                      [&] { return (waiting_.empty() && leaving_ == 0) || (attempts_ >= enough && failures_ != 0); });
  flushes_ = false;
  return waiting_.empty() && leaving_ == 0;
}

Figures Exporter::figures() const {
  const std::lock_guard lock(mutex_);
  Figures now = figures_;
  now.waiting = waiting_.size() + leaving_;
  return now;
}

void Exporter::run() {
  Http http(*this);
  std::unique_lock lock(mutex_);
  for (;;) {
    wanted_.wait(lock, [this] { return end_ || !waiting_.empty(); });
    const auto pause = std::min<Clock::duration>(settings_.interval * (1 << std::min<std::uint64_t>(failures_, 10)),
                                                 std::max<Clock::duration>(kMostWait, settings_.interval));
    wanted_.wait_for(lock, pause,
                     [this] { return end_ || flushes_ || (failures_ == 0 && waiting_.size() >= kMostAtOnce); });
    if (end_ && (waiting_.empty() || Clock::now() >= *end_)) break;
    if (waiting_.empty()) continue;
    std::deque<SpanData> spans;
    while (!waiting_.empty() && spans.size() < kMostAtOnce) {
      spans.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    }
    leaving_ = spans.size();
    const bool last_try = end_.has_value();
    lock.unlock();
    Http::Answer answer;
    try {
      answer = http.post(to_json(spans));
    } catch (const std::exception& exception) {
      answer.error = exception.what();
    }
    lock.lock();
    figures_.last_error = answer.error;
    settle(spans, answer.taken, answer.again);
    changed_.notify_all();
    if (last_try && !answer.taken) break;
  }
  figures_.dropped += waiting_.size();
  waiting_.clear();
  changed_.notify_all();
}

/// With the mutex: what has become of them. If they wait on, they are the oldest.
void Exporter::settle(std::deque<SpanData>& spans, bool taken, bool again) {
  leaving_ = 0;
  ++attempts_;
  failures_ = taken ? 0 : failures_ + 1;
  if (taken) {
    figures_.sent += spans.size();
  } else if (again) {
    waiting_.insert(waiting_.begin(), std::make_move_iterator(spans.begin()), std::make_move_iterator(spans.end()));
  } else {
    figures_.dropped += spans.size();
  }
}

std::string Exporter::to_json(const std::deque<SpanData>& spans) const {
  Json resource =
      Json::array({attribute("service.name", settings_.service), attribute("telemetry.sdk.name", "corbel"),
                   attribute("telemetry.sdk.language", "cpp"), attribute("process.pid", std::to_string(process_))});
  for (const auto& [key, value] : settings_.attributes) resource.push_back(attribute(key, value));
  Json list = Json::array();
  for (const SpanData& span : spans) {
    const auto begin = std::chrono::duration_cast<std::chrono::nanoseconds>(span.begin.time_since_epoch());
    Json one = {{"traceId", hex(span.context->trace)},
                {"spanId", hex(span.context->span)},
                {"name", span.name},
                {"kind", static_cast<int>(span.kind)},
                {"startTimeUnixNano", nanoseconds(begin)},
                {"endTimeUnixNano", nanoseconds(begin + span.lasted)}};
    if (span.parent) one["parentSpanId"] = hex(*span.parent);
    if (!span.context->state.empty()) one["traceState"] = span.context->state;
    for (const auto& [key, value] : span.attributes) one["attributes"].push_back(attribute(key, value));
    if (span.error) one["status"] = {{"code", 2}, {"message", *span.error}};
    list.push_back(std::move(one));
  }
  Json scope = {{"scope", {{"name", "corbel"}}}, {"spans", std::move(list)}};
  const Json all = {{"resourceSpans", Json::array({{{"resource", {{"attributes", std::move(resource)}}},
                                                    {"scopeSpans", Json::array({std::move(scope)})}}})}};
  // Names of operations may be a stranger's, of any octets.
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace corbel::tracing
