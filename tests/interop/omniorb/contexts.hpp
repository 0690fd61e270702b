// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <omniORB4/CORBA.h>
#include <omniORB4/omniInterceptors.h>
// What GIOP_C.h and GIOP_S.h do not include.
#include <omniORB4/internal/giopRope.h>
#include <omniORB4/internal/giopStrand.h>
#include <omniORB4/internal/giopStream.h>

#include <omniORB4/internal/GIOP_C.h>
#include <omniORB4/internal/GIOP_S.h>

#include <algorithm>

#include "../contexts.hpp"
#include "../options.hpp"

namespace interop {

/// What this process sends in contexts, and gets.
inline ContextCounts context_counts;

/// What this thread's request had, or the call that it makes.
inline thread_local ContextOctets context_under_way;

inline ContextOctets context_of(const IOP::ServiceContextList& contexts) {
  for (CORBA::ULong i = 0; i < contexts.length(); ++i) {
    const auto& data = contexts[i].context_data;
    if (contexts[i].context_id == kContextId) return {data.get_buffer(), data.get_buffer() + data.length()};
  }
  return {};
}

inline void add_context(IOP::ServiceContextList& contexts, const ContextOctets& octets) {
  const CORBA::ULong at = contexts.length();
  contexts.length(at + 1);
  contexts[at].context_id = kContextId;
  contexts[at].context_data.length(static_cast<CORBA::ULong>(octets.size()));
  std::copy(octets.begin(), octets.end(), contexts[at].context_data.get_buffer());
}

/// After ORB_init: omniORB's own interceptors send, answer and compare contexts, if the options ask for it.
inline void intercept(const Options& options) {
  using I = omni::omniInterceptors;
  if (!options.contexts()) return;
  I* const all = omniORB::getInterceptors();
  all->clientSendRequest.add([](I::clientSendRequest_T::info_T& info) -> CORBA::Boolean {
    context_under_way = context_counts.next();
    add_context(info.service_contexts, context_under_way);
    return true;
  });
  all->clientReceiveReply.add([](I::clientReceiveReply_T::info_T& info) -> CORBA::Boolean {
    context_counts.compare(context_under_way, context_of(info.service_contexts));
    return true;
  });
  all->serverReceiveRequest.add([](I::serverReceiveRequest_T::info_T& info) -> CORBA::Boolean {
    context_under_way = context_of(info.giop_s.service_contexts());
    std::reverse(context_under_way.begin(), context_under_way.end());
    return true;
  });
  all->serverSendReply.add([](I::serverSendReply_T::info_T& info) -> CORBA::Boolean {
    add_context(info.giop_s.service_contexts(), context_under_way);
    return true;
  });
  all->serverSendException.add([](I::serverSendException_T::info_T& info) -> CORBA::Boolean {
    add_context(info.giop_s.service_contexts(), context_under_way);
    return true;
  });
}

}  // namespace interop
