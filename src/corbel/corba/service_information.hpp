// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

/// What an ORB may offer besides (CORBA 3.3 part 1, 8.2.2). Values; not thread-safe while being modified.
namespace CORBA {

using OctetSeq = std::vector<std::uint8_t>;

using ServiceType = std::uint16_t;
using ServiceOption = std::uint32_t;
using ServiceDetailType = std::uint32_t;
inline constexpr ServiceType Security = 1;
using ServiceOptionSeq = std::vector<ServiceOption>;
using ServiceDetailData = OctetSeq;

/// One thing about a service; what the octets mean depends on the type.
class ServiceDetail {
 public:
  ServiceDetail() = default;
  explicit ServiceDetail(ServiceDetailType service_detail_type, ServiceDetailData service_detail)
      : type_(service_detail_type), detail_(std::move(service_detail)) {}

  void service_detail_type(ServiceDetailType value) { type_ = value; }
  ServiceDetailType service_detail_type() const { return type_; }
  ServiceDetailType& service_detail_type() { return type_; }
  void service_detail(const ServiceDetailData& value) { detail_ = value; }
  void service_detail(ServiceDetailData&& value) { detail_ = std::move(value); }
  const ServiceDetailData& service_detail() const { return detail_; }
  ServiceDetailData& service_detail() { return detail_; }
  friend bool operator==(const ServiceDetail&, const ServiceDetail&) = default;

 private:
  ServiceDetailType type_ = 0;
  ServiceDetailData detail_;
};

using ServiceDetailSeq = std::vector<ServiceDetail>;

/// What ORB::get_service_information tells.
class ServiceInformation {
 public:
  ServiceInformation() = default;
  explicit ServiceInformation(ServiceOptionSeq service_options, ServiceDetailSeq service_details)
      : options_(std::move(service_options)), details_(std::move(service_details)) {}

  void service_options(const ServiceOptionSeq& value) { options_ = value; }
  void service_options(ServiceOptionSeq&& value) { options_ = std::move(value); }
  const ServiceOptionSeq& service_options() const { return options_; }
  ServiceOptionSeq& service_options() { return options_; }
  void service_details(const ServiceDetailSeq& value) { details_ = value; }
  void service_details(ServiceDetailSeq&& value) { details_ = std::move(value); }
  const ServiceDetailSeq& service_details() const { return details_; }
  ServiceDetailSeq& service_details() { return details_; }
  friend bool operator==(const ServiceInformation&, const ServiceInformation&) = default;

 private:
  ServiceOptionSeq options_;
  ServiceDetailSeq details_;
};

}  // namespace CORBA
