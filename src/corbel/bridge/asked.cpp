// SPDX-License-Identifier: Apache-2.0
#include "corbel/bridge/asked.hpp"

#include <new>
#include <utility>

namespace corbel::bridge {

using messaging::ServiceContext;

namespace {

constexpr std::uint32_t kCodeSetsContext = 1;
constexpr std::uint32_t kBiDirContext = 5;
constexpr std::string_view kNonExistent = "_non_existent";
constexpr std::size_t kAlignment = 8;

/// What makes no sense counts as none: it is no bridge of ours that has sent it.
std::uint32_t read_bridges(base::ConstByteSpan context) noexcept {
  if (context.empty() || context[0] > 1) return 0;
  cdr::Format format;
  format.little_endian = context[0] != 0;
  cdr::Decoder decoder(context, format, {}, 1);
  const auto count = decoder.get<std::uint32_t>();
  return decoder.ok() ? count : 0;
}

}  // namespace

bool Asked::passes(const ServiceContext& context) noexcept {
  return context.id != kCodeSetsContext && context.id != kBiDirContext && context.id != kPaddingContext &&
         context.id != kBridgesContext;
}

Asked::Asked(const messaging::IncomingRequest& request, const cdr::Decoder& body, bool passes_contexts)
    : kind_(Kind::request),
      origin_(request.origin),
      response_(request.response),
      operation_(request.operation),
      body_(body) {
  if (!passes_contexts || request.contexts.count() == 0) return;
  request.contexts.for_each([this](const ServiceContext& context) {
    if (passes(context)) contexts_.push_back(context);
    if (context.id == kBridgesContext) bridges_ = read_bridges(context.data);
  });
}

Asked::Asked(const messaging::IncomingLocateRequest& request)
    : kind_(Kind::location),
      origin_(request.origin),
      response_(messaging::Response::with_target),
      operation_(kNonExistent) {}

std::size_t Asked::size() const noexcept {
  // In GIOP 1.1 each fragment has an alignment of its own.
  if (body_.is_joined()) return 0;
  std::size_t octets = kAlignment + body_.remaining() + body_.rest().size() + operation_.size();
  for (const ServiceContext& context : contexts_) octets += context.data.size();
  return octets;
}

void Asked::keep(const cdr::Limits& limits) {
  base::Bytes copy;
  copy.reserve(size());
  const auto append = [&copy](const auto* data, std::size_t octets) {
    const base::ConstByteSpan added{copy.data() + copy.size(), octets};  // nothing moves: it is reserved
    copy.insert(copy.end(), data, data + octets);
    return added;
  };
  // The body begins at the same place, as far as alignment goes.
  const std::size_t at = body_.position() % kAlignment;
  copy.resize(at);
  cdr::Decoder in = body_;
  const base::ConstByteSpan octets = in.take_octets(body_.remaining());
  append(octets.data(), octets.size());
  append(body_.rest().data(), body_.rest().size());
  cdr::Decoder body(copy, body_.format(), limits, at);
  body.set_context(body_.context());
  for (ServiceContext& context : contexts_) context.data = append(context.data.data(), context.data.size());
  const base::ConstByteSpan name = append(operation_.data(), operation_.size());
  operation_ = {reinterpret_cast<const char*>(name.data()), name.size()};
  body_ = body;
  copy_ = std::move(copy);
}

void Asked::let_go() noexcept {
  whole_ = false;
  contexts_.clear();
  body_ = cdr::Decoder();
  try {
    copy_.assign(operation_.begin(), operation_.end());
  } catch (const std::bad_alloc&) {
    copy_.clear();
  }
  operation_ = {reinterpret_cast<const char*>(copy_.data()), copy_.size()};
}

}  // namespace corbel::bridge
