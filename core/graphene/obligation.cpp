// Names of the obligations, and findings as a line.
#include "core/graphene/obligation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera::graphene {
namespace {

struct Row {
  std::string_view name, label, says;
};
constexpr Row kRows[kObligations] = {
    {"static", "O1", "every leaf is an instruction, aligned; collectives and barriers are convergent"},
    {"bounds", "O2", "enabled accesses lie inside the declared extents"},
    {"frame", "O3", "the caller's tensors are read as inputs and written as outputs only"},
    {"coverage", "O4", "every element of the outputs is written, every contribution is there"},
    {"uniqueness", "O5", "by one instance, every contribution once"},
    {"races", "O6", "two threads in one phase never touch one place with a write"},
    {"definedness", "O7", "what is read was written before"},
    {"value", "O8", "what arrives is the function of the specification"},
};

const Row& rowOf(Obligation o) { return kRows[static_cast<std::size_t>(o)]; }

std::string print(const Instance& i) {
  std::string out = fmt::format("block {}, thread {}", i.block, i.thread);
  std::vector<std::string> values;
  for (const auto& [name, value] : i.variables) values.push_back(fmt::format("{}={}", name, value));
  if (!values.empty()) out += fmt::format(" ({})", fmt::join(values, ", "));
  return out;
}

}  // namespace

std::string_view name(Obligation o) { return rowOf(o).name; }
std::string_view label(Obligation o) { return rowOf(o).label; }

std::string print(const Finding& f) {
  std::vector<std::string> parts;
  std::vector<std::string> who;
  for (const Instance& i : f.instances) who.push_back(print(i));
  if (!who.empty()) parts.push_back(fmt::format("{}", fmt::join(who, " and ")));
  if (!f.tensor.empty()) {
    std::string place = f.tensor;
    if (!f.coordinate.empty()) place += fmt::format("[{}]", fmt::join(f.coordinate, ","));
    if (f.address >= 0) place += fmt::format(" at {}", f.address);
    if (f.phase >= 0) place += fmt::format(", phase {}", f.phase);
    parts.push_back(std::move(place));
  }
  const auto tells = [&](const std::string& part) { return f.message.find(part) != std::string::npos; };
  const bool told = tells(f.expected) && tells(f.actual);  // the message names both sides itself
  if (!f.expected.empty() && !told)
    parts.push_back(f.actual.empty() ? fmt::format("expected {}", f.expected)
                                     : fmt::format("expected {}, got {}", f.expected, f.actual));
  if (!f.message.empty()) parts.push_back(f.message);
  return fmt::format("{}", fmt::join(parts, ": "));
}

}  // namespace tessera::graphene
