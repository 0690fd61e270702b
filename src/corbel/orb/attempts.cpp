// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/attempts.hpp"

#include <algorithm>

#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/error_map.hpp"

namespace corbel::orb {

using base::Code;
using base::Stage;
using routing::Route;

namespace {

// Places before these are only counted in the text.
constexpr std::size_t kMostPlacesTold = 16;
constexpr std::size_t kMostForwardsTold = 8;  // of one place

std::string and_more(std::size_t count) {
  return count == 0 ? std::string() : " and " + std::to_string(count) + " more";
}

}  // namespace

bool Refusal::asks_elsewhere() const noexcept {
  return completed == corba::Completed::no &&
         (is("TRANSIENT") || is("COMM_FAILURE") || is("NO_RESOURCES") || is("OBJ_ADAPTER") || is("OBJECT_NOT_EXIST"));
}

/// How far a call has come in its list of places.
struct Attempts::Course {
  /// What happened at a place during this call.
  struct Visit {
    std::string key;  // equal for equal places, whichever list they are in
    bool failed;      // else it forwarded
    bool hurried;     // it had a head start, and is tried again in the second round
  };

  static std::string key_of(const Route& route) {
    return route.key + '\n' + std::string(base::as_text(route.object_key));
  }
  /// In this process an object is one place, whatever endpoints lead to it.
  static std::string key_of(const Places::Place& place) {
    return place.here ? std::string(base::as_text(place.route.object_key)) : key_of(place.route);
  }
  static std::string_view name_of(const Places::Place& place) {
    return place.here ? kHere : std::string_view(place.route.endpoint->text());
  }
  const Places::Place& place() const noexcept { return (*places)[at]; }
  const Route& route() const noexcept { return (*places)[at].route; }
  const Visit* visit(std::size_t index) const {
    const std::string key = key_of((*places)[index]);
    const auto found = std::find_if(visits.begin(), visits.end(), [&](const Visit& one) { return one.key == key; });
    return found == visits.end() ? nullptr : &*found;
  }
  /// Places that only forwarded have a limit of their own.
  bool has_tried_most() const noexcept {
    const auto failed = [](const Visit& one) { return one.failed; };
    return static_cast<std::size_t>(std::count_if(visits.begin(), visits.end(), failed)) >= Places::kMost;
  }
  /// Notes what came of the current place.
  void note(bool has_failed, std::string_view why, bool hurried = false) {
    std::string key = key_of(place());
    const auto known = std::find_if(visits.begin(), visits.end(), [&](const Visit& one) { return one.key == key; });
    if (known == visits.end()) {
      visits.push_back({std::move(key), has_failed, hurried});
    } else {
      known->failed = has_failed;
      known->hurried = hurried;
    }
    tell(why);
  }
  void tell(std::string_view why) {
    last = why;
    if (++told > kMostPlacesTold) return;
    if (!tried.empty()) tried += ", ";
    tried.append(name_of(place())).append(" (").append(why).append(")");
  }

  /// To change it: others that know the list keep it as it was.
  Places& own() {
    if (places->reference_count() > 1) places = PlacesPtr(new Places(*places));
    return const_cast<Places&>(*places);  // made without const, and known to nothing else
  }

  PlacesPtr places;
  std::size_t at = 0;
  bool fixed = false;
  unsigned retries = 0;  // at this place
  unsigned forwards = 0;
  bool went_back = false;
  bool has_hurried = false;   // a place has had a head start alone
  bool second_round = false;  // each place has all its time
  std::string readdressed;    // the key of the place that was last asked in another addressing mode
  std::vector<Visit> visits;

  // What to tell in the end.
  base::Error error;
  std::optional<Refusal> refusal;
  std::string what;
  std::string tried;
  std::string last;  // of that
  std::size_t told = 0;
};

void Attempts::Delete::operator()(Answer* answer) const noexcept {
  delete answer;
}
void Attempts::Delete::operator()(Course* course) const noexcept {
  delete course;
}

void Attempts::set_answer(Answer answer) {
  answer_.reset(new Answer(std::move(answer)));
}

corba::Completed Attempts::answered() const noexcept {
  if (const auto* refusal = std::get_if<Refusal>(&*answer_)) return refusal->completed;
  if (const auto* error = std::get_if<base::Error>(&*answer_)) {
    if (not_executed(*error)) return corba::Completed::no;
    return error->stage == Stage::decode ? corba::Completed::yes : corba::Completed::maybe;
  }
  return corba::Completed::no;
}

Attempts::Answer Attempts::take_answer() {
  return std::move(*std::exchange(answer_, nullptr));
}

void Attempts::begin(const PlacesPtr& places, std::size_t at, bool fixed) {
  if (course_ != nullptr) return;
  course_.reset(new Course);
  course_->places = places;
  course_->at = at;
  course_->fixed = fixed;
}

void Attempts::note_refusal_here(Refusal refusal) {
  Course& course = *course_;
  course.last = "raised " + refusal.id;
  course.tried = std::string(kHere) + " (" + course.last + ")";
  course.told = 1;
  course.refusal = std::move(refusal);
}

PlacesPtr Attempts::places() const noexcept {
  return course_->places;
}
std::size_t Attempts::at() const noexcept {
  return course_->at;
}
const Places::Place& Attempts::place() const noexcept {
  return course_->place();
}
const Route& Attempts::route() const noexcept {
  return course_->route();
}

void Attempts::renew(const PlacesPtr& places) {
  course_->places = places;
  course_->at = 0;
  course_->retries = 0;
  course_->visits.clear();
}

bool Attempts::fixed() const noexcept {
  return course_->fixed;
}

bool Attempts::here() const noexcept {
  return course_->place().here;
}

bool Attempts::at_origin() const noexcept {
  return course_->place().depth == 0;
}

std::string_view Attempts::last() const noexcept {
  return course_->last;
}

bool Attempts::not_executed(base::Error error) noexcept {
  switch (error.stage) {
    case Stage::resolve:
    case Stage::connect:
    case Stage::send:
    case Stage::dispatch:  // the server said so
      return true;
    case Stage::wait:
      return error.code == Code::closed || error.code == Code::forward_loop || error.code == Code::certificate_refused;
    default:
      return false;
  }
}

std::size_t Attempts::others() const {
  const Course& course = *course_;
  if (course.fixed || course.second_round) return 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < course.places->size(); ++i) {
    if (i != course.at && course.visit(i) == nullptr) ++count;
  }
  return count;
}

bool Attempts::after_head_start(base::Error error, std::string what) {
  Course& course = *course_;
  course.error = error;
  course.what = std::move(what);
  course.note(true, "no connection within the head start", true);
  course.has_hurried = true;
  return advance();
}

std::pair<PlacesPtr, std::size_t> Attempts::settled() const {
  const Course& course = *course_;
  if (!course.has_hurried) return {course.places, course.at};
  base::IntrusivePtr<Places> left(new Places(*course.places));
  const std::size_t at = left->keep_chain(course.at);
  return {std::move(left), at};
}

/// Goes to a place that this call has not tried, or that had a head start alone; false if there is none.
bool Attempts::advance() {
  if (advance_in_order()) return true;
  Course& course = *course_;
  const auto hurried = [](const Course::Visit& one) { return one.hurried; };
  if (std::exchange(course.second_round, true) || std::erase_if(course.visits, hurried) == 0) return false;
  return advance_in_order();
}

/// Goes to the next place that this call has not tried, from the list's end on to its beginning; false if there is
/// none. The places of a forward are left behind with the last of them, but not while one of any had a head start
/// alone: settled() leaves them out.
bool Attempts::advance_in_order() {
  Course& course = *course_;
  if (course.fixed || course.has_tried_most()) return false;
  course.retries = 0;
  std::size_t next = course.at + 1;
  while (next < course.places->size() && course.visit(next) != nullptr) ++next;
  if (next < course.places->size()) {
    std::size_t first_left = next;
    while ((*course.places)[first_left - 1].depth > (*course.places)[next].depth) --first_left;
    course.at = next;
    if (first_left < next && !course.has_hurried) {
      course.own().cut_below(first_left - 1);
      course.at = first_left;
    }
    return true;
  }
  course.at = course.places->origin(course.at);
  if (!course.has_hurried) course.own().cut_below(course.at);
  for (next = 0; next < course.places->size(); ++next) {
    if (course.visit(next) != nullptr) continue;
    course.at = next;
    return true;
  }
  return false;
}

bool Attempts::after_failure(base::Error error, bool fresh, std::string what) {
  Course& course = *course_;
  course.error = error;
  course.what = std::move(what);
  const std::string why = describe(error);
  // Sending may take the time of the whole call.
  const bool time_is_over = error.stage == Stage::send && error.code == Code::timed_out;
  if (error.code == Code::cancelled || time_is_over || !not_executed(error)) {
    course.tell(why);
    return false;
  }
  // The same peer would refuse it again.
  const bool refused = error.code == Code::protocol_error || error.code == Code::certificate_refused;
  const bool was_connected = (error.stage == Stage::send || error.stage == Stage::wait) && !refused;
  if (was_connected && course.retries < kMaxRetries && (!fresh || error.code == Code::closed)) {
    ++course.retries;
    course.tell(why);
    return true;
  }
  course.note(true, why);
  return advance();
}

bool Attempts::after_refusal(Refusal refusal, std::string what) {
  Course& course = *course_;
  const bool missing = refusal.is("OBJECT_NOT_EXIST");
  course.note(true, "raised " + refusal.id);
  course.what = std::move(what);
  course.error = {};
  course.refusal = std::move(refusal);
  if (!missing) return advance();
  // The object has moved, perhaps back to where its reference leads (once: that place may point here again).
  if (course.fixed || course.place().depth == 0 || std::exchange(course.went_back, true)) return false;
  course.at = course.places->origin(course.at);
  course.own().cut_below(course.at);
  course.retries = 0;
  return true;
}

bool Attempts::after_forward(base::Result<Ways> ways, std::uint32_t limit, bool permanent) {
  Course& course = *course_;
  const std::string from(Course::name_of(course.place()));
  if (!ways) {
    course.what = "following the location forward of " + from;
    course.error = ways.error();
    course.note(true, "forwarded to a reference without a usable profile");
    return advance();
  }
  std::string why = "forwarded to";
  const std::size_t named = std::min(ways->routes.size(), kMostForwardsTold);
  for (std::size_t i = 0; i < named; ++i) {
    const bool here = i == 0 && ways->first_here;
    why.append(" ").append(here ? kHere : std::string_view(ways->routes[i].endpoint->text()));
  }
  why += and_more(ways->routes.size() - named);
  if (course.forwards >= limit) {
    course.error = base::error(Stage::wait, Code::forward_loop);
    course.what = "forwarded " + std::to_string(course.forwards + 1) + " times, last by " + from;
    course.note(true, why);
    return advance();
  }
  ++course.forwards;
  course.note(false, why);
  std::size_t next = 0;
  std::size_t end = 0;
  if (permanent) {
    course.own().replace(*std::move(ways));
    course.at = 0;
    end = course.places->size();
  } else {
    course.own().splice(course.at, *std::move(ways));
    next = end = course.at + 1;
    while (end < course.places->size() && (*course.places)[end].depth > (*course.places)[course.at].depth) ++end;
  }
  for (; next < end; ++next) {
    const Course::Visit* visit = course.visit(next);
    if (visit != nullptr && visit->failed) continue;
    course.at = next;
    course.retries = 0;
    return true;
  }
  return advance();
}

bool Attempts::after_readdressing(std::shared_ptr<const messaging::TargetAddress> address) {
  Course& course = *course_;
  std::string key = Course::key_of(course.route());
  if (course.readdressed == key) return false;
  course.readdressed = std::move(key);
  course.tell("wants its target named otherwise");
  course.own().set_address(course.at, std::move(address));
  return true;
}

bool Attempts::nowhere_left() const noexcept {
  const Course& course = *course_;
  if (course.error.code == Code::none) return course.told > 1;  // one refusal changes nothing
  return not_executed(course.error) && course.error.code != Code::timed_out;
}

bool Attempts::refused_here() const noexcept {
  return course_->error.code == Code::cancelled && not_executed(course_->error);
}

void Attempts::give_up(const std::string& spent) {
  Course& course = *course_;
  // An interceptor may forward the call all the same, and then it may be given up again.
  std::string text = course.what;
  if (course.error.code != Code::none) {
    text += ": " + describe(course.error) + spent;
    // A server's answer tells more than that another one cannot be reached; but not that its object may be gone.
    if (course.refusal && not_executed(course.error) && course.error.code != Code::cancelled &&
        course.error.code != Code::timed_out && !course.refusal->is("OBJECT_NOT_EXIST")) {
      course.error = {};
    }
  }
  if (course.told > 1) {
    text += "; tried: " + course.tried;
    text += and_more(course.told - std::min(course.told, kMostPlacesTold));
    if (course.has_tried_most()) text += "; a call tries at most " + std::to_string(Places::kMost) + " places";
  }
  if (course.error.code != Code::none) raise(course.error, std::move(text));
  if (!course.refusal) raise(base::error(Stage::send, Code::timed_out), std::move(text));
  corba::SystemFailure failure = *course.refusal;
  failure.detail = std::move(text);
  corba::raise(std::move(failure));
}

}  // namespace corbel::orb
