// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support.hpp"

namespace corbel::interceptors_test {

using FactoryRef = IDL::traits<PI::ObjectReferenceFactory>::ref_type;
using TemplateRef = IDL::traits<PI::ObjectReferenceTemplate>::ref_type;
inline const std::string kThing = "IDL:Watched/Thing:1.0";

inline std::string path_of(const PI::AdapterName& name) {
  std::string text;
  for (const std::string& part : name) text += '/' + part;
  return text;
}

/// Tells the story of adapters, "A.established:/RootPOA/child", and does at each point what it was told to.
class AdapterWatch final : public PI::IORInterceptor_3_0 {
 public:
  using AtInfo = std::function<void(const IorInfoRef&)>;
  AdapterWatch(std::string name, Story& story) : name_(std::move(name)), story_(story) {}
  std::string name() override { return name_; }
  void destroy() override { story_.add(name_ + ".destroy"); }
  void establish_components(IorInfoRef info) override {
    story_.add(name_ + ".establish");
    if (on_establish) on_establish(info);
  }
  void components_established(IorInfoRef info) override {
    made.push_back(info->adapter_template());
    story_.add(name_ + ".established:" + path_of(made.back()->adapter_name()));
    if (on_established) on_established(info);
  }
  void adapter_manager_state_changed(const PI::AdapterManagerId& id, PI::AdapterState state) override {
    story_.add(name_ + ".manager:" + id + '=' + std::to_string(state));
    if (on_manager) on_manager(state);
  }
  void adapter_state_changed(const PI::ObjectReferenceTemplateSeq& templates, PI::AdapterState state) override {
    std::string told = name_ + ".gone";
    for (const TemplateRef& one : templates) {
      told += ':' + path_of(one->adapter_name());
      EXPECT_EQ(std::count(made.begin(), made.end(), one), 1) << "the same as when it was made";
    }
    EXPECT_EQ(state, PI::NON_EXISTENT);
    story_.add(told);
    if (on_gone) on_gone();
  }

  AtInfo on_establish, on_established;
  std::function<void(PI::AdapterState)> on_manager;
  std::function<void()> on_gone;
  std::vector<TemplateRef> made;

 private:
  const std::string name_;
  Story& story_;
};

/// An interceptor of the older kind.
class Plain final : public PI::IORInterceptor {
 public:
  explicit Plain(Story& story) : story_(story) {}
  std::string name() override { return "P"; }
  void establish_components(IorInfoRef) override { story_.add("P.establish"); }

 private:
  Story& story_;
};

}  // namespace corbel::interceptors_test
