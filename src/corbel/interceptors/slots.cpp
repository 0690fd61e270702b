// SPDX-License-Identifier: Apache-2.0
#include "corbel/interceptors/slots.hpp"

#include <algorithm>
#include <atomic>
#include <list>
#include <utility>

#include "corbel/base/thread_value.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/interceptors/interceptors.hpp"
#include "corbel/orb/face.hpp"

namespace corbel::interceptors {

using PortableInterceptor::SlotId;

namespace {

// What a thread that waits has lent stays where it is, whichever areas come in between.
using Areas = base::ThreadValue<std::list<std::pair<std::uint64_t, OfThread>>>;

std::uint64_t next_area() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

class PICurrent final : public PortableInterceptor::Current {
 public:
  PICurrent(std::shared_ptr<const SlotArea> slots) : slots_(std::move(slots)) {}

  CORBA::Any get_slot(SlotId id) override {
    check();
    return slots_->get(slots_->of_thread().slots, id);
  }
  void set_slot(SlotId id, const CORBA::Any& data) override {
    check();
    slots_->set(slots_->of_thread().slots, id, data);
  }

 private:
  void check() const {
    if (slots_->sealed()) return;
    throw CORBA::BAD_INV_ORDER(corba::minor::kNotAtThisPoint, CORBA::CompletionStatus::COMPLETED_NO,
                               "PICurrent is of no use before the ORB has been made");
  }
  const std::shared_ptr<const SlotArea> slots_;
};

}  // namespace

SlotArea::SlotArea() : id_(next_area()) {}

void SlotArea::check(SlotId id) const {
  if (id >= count_) throw PortableInterceptor::InvalidSlot();
}

CORBA::Any SlotArea::get(const SlotValues& values, SlotId id) const {
  check(id);
  return id < values.size() ? values[id] : CORBA::Any();
}

void SlotArea::set(SlotValues& values, SlotId id, const CORBA::Any& data) const {
  check(id);
  if (values.size() <= id) values.resize(id + std::size_t{1});
  values[id] = data;
}

OfThread* SlotArea::find_thread() const noexcept {
  auto& areas = Areas::here();
  const auto found = std::find_if(areas.begin(), areas.end(), [&](const auto& one) { return one.first == id_; });
  return found == areas.end() ? nullptr : &found->second;
}

OfThread& SlotArea::of_thread() const {
  OfThread* const found = find_thread();
  return found == nullptr ? Areas::here().emplace_back(id_, OfThread()).second : *found;
}

CORBA::object_reference<CORBA::Object> make_current(corba::OrbContext& orb) {
  const auto* hooks = static_cast<const Interceptors*>(static_cast<orb::Face&>(orb).core().hooks());
  if (hooks != nullptr) return CORBA::make_reference<PICurrent>(hooks->slots());
  auto none = std::make_shared<SlotArea>();
  none->seal();
  return CORBA::make_reference<PICurrent>(std::move(none));
}

}  // namespace corbel::interceptors
