// SPDX-License-Identifier: Apache-2.0
#include "policies.hpp"

#include <array>
#include <utility>

#include <corbel/dynamic/any.hpp>

#include "Compression_any.hpp"

namespace corbel::ziop {
namespace {

template <class T>
using Ref = typename IDL::traits<T>::ref_type;

class Enabling final : public ZIOP::CompressionEnablingPolicy {
 public:
  explicit Enabling(bool enabled) noexcept : enabled_(enabled) {}
  bool compression_enabled() override { return enabled_; }
  CORBA::PolicyType policy_type() override { return ZIOP::COMPRESSION_ENABLING_POLICY_ID; }
  PolicyRef copy() override { return CORBA::make_reference<Enabling>(enabled_); }

 private:
  const bool enabled_;
};

class Compressors final : public ZIOP::CompressionIdLevelListPolicy {
 public:
  explicit Compressors(Compression::CompressorIdLevelList list) : list_(std::move(list)) {}
  Compression::CompressorIdLevelList compressor_ids() override { return list_; }
  CORBA::PolicyType policy_type() override { return ZIOP::COMPRESSOR_ID_LEVEL_LIST_POLICY_ID; }
  PolicyRef copy() override { return CORBA::make_reference<Compressors>(list_); }

 private:
  const Compression::CompressorIdLevelList list_;
};

class LowValue final : public ZIOP::CompressionLowValuePolicy {
 public:
  explicit LowValue(std::uint32_t octets) noexcept : octets_(octets) {}
  std::uint32_t low_value() override { return octets_; }
  CORBA::PolicyType policy_type() override { return ZIOP::COMPRESSION_LOW_VALUE_POLICY_ID; }
  PolicyRef copy() override { return CORBA::make_reference<LowValue>(octets_); }

 private:
  const std::uint32_t octets_;
};

class MinRatio final : public ZIOP::CompressionMinRatioPolicy {
 public:
  explicit MinRatio(float ratio) noexcept : ratio_(ratio) {}
  float ratio() override { return ratio_; }
  CORBA::PolicyType policy_type() override { return ZIOP::COMPRESSION_MIN_RATIO_POLICY_ID; }
  PolicyRef copy() override { return CORBA::make_reference<MinRatio>(ratio_); }

 private:
  const float ratio_;
};

bool is_ratio(float value) noexcept {
  return value >= 0 && value <= 1;
}

/// What the Any holds; throws if that is something else.
template <class T>
T value_in(const CORBA::Any& any) {
  T value{};
  if (!(any >>= value)) throw CORBA::PolicyError(CORBA::BAD_POLICY_TYPE);
  return value;
}

template <class T>
Ref<T> find(const std::function<PolicyRef(CORBA::PolicyType)>& policy, CORBA::PolicyType type) {
  const PolicyRef found = policy(type);
  return found == nullptr ? nullptr : IDL::traits<T>::narrow(found);
}

constexpr std::array<CORBA::PolicyType, 4> kTypes{kEnablingPolicy, kCompressorsPolicy, kLowValuePolicy,
                                                  kMinRatioPolicy};

}  // namespace

Terms terms_of(const std::function<PolicyRef(CORBA::PolicyType)>& policy, const Terms& otherwise) {
  Terms terms = otherwise;
  if (const auto enabling = find<ZIOP::CompressionEnablingPolicy>(policy, kEnablingPolicy); enabling != nullptr) {
    terms.enabled = enabling->compression_enabled();
  }
  if (const auto list = find<ZIOP::CompressionIdLevelListPolicy>(policy, kCompressorsPolicy); list != nullptr) {
    terms.compressors.clear();
    for (const auto& one : list->compressor_ids()) {
      terms.compressors.push_back({one.compressor_id(), one.compression_level()});
    }
  }
  if (const auto low = find<ZIOP::CompressionLowValuePolicy>(policy, kLowValuePolicy); low != nullptr) {
    terms.low_value = low->low_value();
  }
  if (const auto ratio = find<ZIOP::CompressionMinRatioPolicy>(policy, kMinRatioPolicy); ratio != nullptr) {
    terms.min_ratio = ratio->ratio();
  }
  return terms;
}

bool any_policy(const std::function<PolicyRef(CORBA::PolicyType)>& policy) {
  for (const CORBA::PolicyType type : kTypes) {
    if (policy(type) != nullptr) return true;
  }
  return false;
}

PolicyRef make_policy(CORBA::PolicyType type, const CORBA::Any& value) {
  switch (type) {
    case kEnablingPolicy:
      return make_enabling(value_in<bool>(value));
    case kCompressorsPolicy:
      return make_compressors(value_in<Compression::CompressorIdLevelList>(value));
    case kLowValuePolicy:
      return make_low_value(value_in<std::uint32_t>(value));
    case kMinRatioPolicy: {
      const auto ratio = value_in<float>(value);
      if (!is_ratio(ratio)) throw CORBA::PolicyError(CORBA::BAD_POLICY_VALUE);
      return make_min_ratio(ratio);
    }
    default:
      return nullptr;
  }
}

Ref<ZIOP::CompressionEnablingPolicy> make_enabling(bool enabled) {
  return CORBA::make_reference<Enabling>(enabled);
}

Ref<ZIOP::CompressionIdLevelListPolicy> make_compressors(Compression::CompressorIdLevelList list) {
  return CORBA::make_reference<Compressors>(std::move(list));
}

Ref<ZIOP::CompressionLowValuePolicy> make_low_value(std::uint32_t octets) {
  return CORBA::make_reference<LowValue>(octets);
}

Ref<ZIOP::CompressionMinRatioPolicy> make_min_ratio(float ratio) {
  if (!is_ratio(ratio)) {
    throw CORBA::BAD_PARAM(0, CORBA::CompletionStatus::COMPLETED_NO, "a ratio of compression is a number from 0 to 1");
  }
  return CORBA::make_reference<MinRatio>(ratio);
}

}  // namespace corbel::ziop
