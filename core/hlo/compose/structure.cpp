#include "core/hlo/compose/structure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/work_budget.h"

namespace tessera::hlo {
namespace {

constexpr int kNotYet = -1, kInWork = -2;
constexpr i64 kMostElements = 8;        // of an array of indices
constexpr std::size_t kMostText = 256;  // longer values count by length and hash

// Attributes that do not change what is read.
bool isIrrelevant(std::string_view attribute) {
  constexpr std::array<std::string_view, 6> kSkipped = {"metadata", "channel_id", "frontend_attributes",
                                                        "origin",   "statistics", "control-predecessors"};
  return std::ranges::find(kSkipped, attribute) != kSkipped.end();
}

void append(std::string& to, std::string_view text) {
  if (text.size() <= kMostText)
    to += text;
  else
    to += fmt::format("{}#{}", text.size(), std::hash<std::string_view>()(text));
}

// Whether the backend's settings decide how it runs.
bool isConfigured(std::string_view opcode) {
  return opcode == "fusion" || opcode == "custom-call" || opcode == "while";
}

}  // namespace

Structures::Structures(const Module& module, std::shared_ptr<StructureTable> table)
    : module_(module),
      known_(table ? std::move(table) : std::make_shared<StructureTable>()),
      computations_(module.computations.size(), kNotYet) {
  for (const xla::Shape& shape : module.shapes) shapes_.push_back(xla::print(shape));
}

std::string Structures::textOf(const Computation& c, const Instruction& i, bool constants) {
  std::string text = fmt::format("{} {}", i.opcode, shapes_[static_cast<std::size_t>(i.shape)]);
  append(text, i.literal);
  for (const int operand : i.operands) {
    if (operand < 0) {
      text += " ?";
      continue;
    }
    const Instruction& from = c.at(operand);
    text += constants ? " " + shapes_[static_cast<std::size_t>(from.shape)] : fmt::format(" %{}", operand);
    if (!constants) continue;
    if (from.opcode == "constant") append(text += '=', from.literal);
    const xla::Shape& shape = module_.shapeOf(from);
    if (!shape.isArray() || shape.rank() > 1 || (shape.rank() == 1 && shape.dims()[0].size > kMostElements)) continue;
    const i64 elements = shape.rank() == 0 ? 1 : shape.dims()[0].size;
    for (i64 k = 0; k < elements; ++k)
      if (const auto value = constantOf(module_, c, operand, static_cast<std::size_t>(k)))
        text += fmt::format(":{}={}", k, *value);
  }
  for (const Attribute& a : i.attributes) {
    if (isIrrelevant(a.name) || (a.name == "backend_config" && !isConfigured(i.opcode))) continue;
    text += fmt::format(",{}=", a.name);
    if (!namesComputations(a.name)) append(text, a.value);
  }
  for (const int called : calledBy(module_, i))
    text += fmt::format("@{}", computations_[static_cast<std::size_t>(called)]);
  return text;
}

void Structures::solve(int computation) {
  std::vector<std::pair<int, bool>> open{{computation, false}};
  while (!open.empty()) {
    const auto [c, again] = open.back();
    int& number = computations_[static_cast<std::size_t>(c)];
    if (number >= 0 || (number == kInWork && !again)) {
      open.pop_back();
      continue;
    }
    const Computation& at = module_.computation(c);
    if (!again) {
      number = kInWork;
      open.back().second = true;
      for (const Instruction& i : at.instructions)
        for (const int called : calledBy(module_, i))
          if (computations_[static_cast<std::size_t>(called)] == kNotYet) open.emplace_back(called, false);
      continue;
    }
    std::string text = fmt::format("computation {} {}", at.root, at.lost);
    for (const Instruction& i : at.instructions) {
      spend();
      text += "\n" + textOf(at, i, false);
    }
    number = known_->try_emplace(std::move(text), static_cast<int>(known_->size())).first->second;
    open.pop_back();
  }
}

int Structures::of(int computation) {
  if (computations_[static_cast<std::size_t>(computation)] == kNotYet) solve(computation);
  return computations_[static_cast<std::size_t>(computation)];
}

int Structures::of(Where where) {
  const Instruction& i = module_.at(where);
  for (const int called : calledBy(module_, i)) (void)of(called);
  return known_->try_emplace(textOf(module_.computation(where.computation), i, true), static_cast<int>(known_->size()))
      .first->second;
}

}  // namespace tessera::hlo
