#include <functional>

#include "core/worksheet/worksheet.h"

namespace tessera {

void Scope::bind(const std::string& name, Shared<Value> value, Shared<Operation> operation) {
  bind(name, std::make_shared<const Bound>(Bound{std::move(value), std::move(operation)}));
}

void Scope::bind(const std::string& name, BoundPtr bound) {
  if (trace_ != nullptr) trace_->writes.insert_or_assign(name, bound);
  hasBlanks_ = hasBlanks_ || bound->blank;
  const bool fresh = bound_.insert_or_assign(name, std::move(bound)).second;
  // A sum, to be independent of the order of names; odd and mixed, so that two names do not cancel.
  if (fresh) namesHash_ += (std::hash<std::string>()(name) | 1) * 0x9E3779B97F4A7C15U;
}

void Scope::bindQuoted(const std::string& name, Shared<Value> value, Shared<Operation> operation, std::string text) {
  bind(name, std::make_shared<const Bound>(Bound{std::move(value), std::move(operation), false, std::move(text)}));
}

void Scope::await(const std::string& name) {
  bind(name, std::make_shared<const Bound>(Bound{{}, {}, /*awaited=*/true}));
}

void Scope::bindBlank(const std::string& name) {
  Bound blank;
  blank.blank = true;
  bind(name, std::make_shared<const Bound>(std::move(blank)));
}

void Scope::adopt(const Trace& trace) {
  if (trace_ != nullptr) {
    for (const auto& [name, bound] : trace.reads)
      if (trace_->writes.count(name) == 0) trace_->reads.emplace(name, bound);
    if (trace.listed) trace_->listed = trace.listed;
    trace_->awaits = trace_->awaits || trace.awaits;
  }
  for (const auto& [name, bound] : trace.writes) bind(name, bound);
}

const Scope::Bound* Scope::lookUp(const std::string& name) const {
  const auto it = bound_.find(name);
  const BoundPtr bound = it == bound_.end() ? nullptr : it->second;
  if (trace_ != nullptr) {
    // Reading back what the evaluation itself bound is not a dependence on another statement.
    if (trace_->writes.count(name) == 0) trace_->reads.emplace(name, bound);
    trace_->awaits = trace_->awaits || (bound && bound->awaited);
  }
  return bound && !bound->awaited && !bound->blank ? bound.get() : nullptr;
}

const Value* Scope::find(const std::string& name) const {
  const Bound* bound = lookUp(name);
  return bound == nullptr ? nullptr : bound->value.get();
}

const Operation* Scope::operationOf(const std::string& name) const {
  const Bound* bound = lookUp(name);
  return bound == nullptr ? nullptr : bound->operation.get();
}

std::string Scope::textOf(const std::string& name) const {
  const Bound* bound = lookUp(name);
  return bound == nullptr ? std::string() : bound->text;
}

std::vector<std::string> Scope::names() const {
  if (trace_ != nullptr) trace_->listed = namesHash_;
  std::vector<std::string> out;
  for (const auto& [name, bound] : bound_) out.push_back(name);
  return out;
}

bool Scope::readsTheSame(const Trace& trace) const {
  if (trace.awaits || (trace.listed && *trace.listed != namesHash_)) return false;
  for (const auto& [name, bound] : trace.reads) {
    const auto it = bound_.find(name);
    if ((it == bound_.end() ? nullptr : it->second) != bound) return false;
  }
  return true;
}

}  // namespace tessera
