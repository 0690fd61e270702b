// SPDX-License-Identifier: Apache-2.0
// One source with Real-time CORBA, interceptors and the whole of the standard: an interceptor reads the priority.
#include <corbel/standard.hpp>

#include "test_support.hpp"

namespace corbel::real_time {
namespace {

namespace PI = PortableInterceptor;

class ReadsPriority final : public virtual IDL::traits<PI::ServerRequestInterceptor>::base_type {
 public:
  std::string name() override { return "reads priority"; }
  void destroy() override { codec = nullptr; }  // it keeps the ORB
  void receive_request_service_contexts(IDL::traits<PI::ServerRequestInfo>::ref_type ri) override {
    if (ri->operation() != "priority") return;
    const IOP::ServiceContext context = ri->get_request_service_context(IOP::RTCorbaPriority);
    (codec->decode_value(context.context_data(), CORBA::_tc_short)) >>= seen;
  }
  void receive_request(IDL::traits<PI::ServerRequestInfo>::ref_type) override {}
  void send_reply(IDL::traits<PI::ServerRequestInfo>::ref_type) override {}
  void send_exception(IDL::traits<PI::ServerRequestInfo>::ref_type) override {}
  void send_other(IDL::traits<PI::ServerRequestInfo>::ref_type) override {}

  IDL::traits<IOP::Codec>::ref_type codec;
  RTCORBA::Priority seen = -1;
};

/// Gives the next ORB the interceptor; nothing to others.
class GivesNext final : public virtual IDL::traits<PI::ORBInitializer>::base_type {
 public:
  void pre_init(IDL::traits<PI::ORBInitInfo>::ref_type info) override {
    if (next == nullptr) return;
    next->codec = info->codec_factory()->create_codec(IOP::Encoding(IOP::ENCODING_CDR_ENCAPS, 1, 2));
    info->add_server_request_interceptor(std::exchange(next, nullptr));
  }
  void post_init(IDL::traits<PI::ORBInitInfo>::ref_type) override {}
  CORBA::object_reference<ReadsPriority> next;
};

TEST(RealTimeInterceptors, ReadThePriorityThatTravels) {
  const auto reads = CORBA::make_reference<ReadsPriority>();
  const auto setup = CORBA::make_reference<GivesNext>();
  setup->next = reads;
  PI::register_orb_initializer(setup);
  TwoOrbs orbs{Settings{}};
  const auto model = orbs.rt->create_priority_model_policy(RTCORBA::PriorityModel::CLIENT_PROPAGATED, 3);
  const auto object = orbs.object(orbs.adapter({model}), [&] { return orbs.current->the_priority(); });
  EXPECT_EQ(orbs.call(object, 42).get(), 42);
  EXPECT_EQ(reads->seen, 42);
}

}  // namespace
}  // namespace corbel::real_time
