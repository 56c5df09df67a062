#include "solver/graphene/equal/ports.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::graphene {
namespace {

using Words = std::set<std::string, std::less<>>;

std::vector<std::string> inputsOf(const Side& side) {
  std::vector<std::string> out;
  for (const Port& p : side.ports())
    if (p.input) out.push_back(p.name);
  return out;
}

// "%X:[64,64].fp16, %W:[64,64].fp16"
std::string declared(const Side& side, bool inputs) {
  std::string out;
  for (const Port& p : side.ports())
    if (inputs ? p.input : p.output) out += fmt::format("{}%{}:{}", out.empty() ? "" : ", ", p.name, p.shapeText());
  return out.empty() ? "none" : out;
}

// An input of `side` that `other` does not have.
Diag missing(const Side& side, const Port& port, const Side& other, bool ofSecond) {
  const Port* same = other.port(port.name);
  if (same != nullptr && same->output)
    return Diag{
        fmt::format("%{} is an input of {}, but {} writes it before it reads it", port.name, side.name(), other.name()),
        "inputs that both programs read", fmt::format("another name for %{} in one of them", port.name)};
  return Diag{
      fmt::format("{} reads %{}:{}, which {} does not have", side.name(), port.name, port.shapeText(), other.name()),
      fmt::format("inputs with equal names; those of {} are {}", other.name(), declared(other, true)),
      ofSecond
          ? fmt::format("rename it, or state it by the inputs of {}: where \"{} = ...\"", other.name(), port.name)
          : fmt::format("rename it, or state the inputs of {} by it: where \"... = {}...\"", other.name(), port.name)};
}

Result<void> sameStorage(const Side& first, const Port& a, const Side& second, const Port& b, CommonPorts& out) {
  if (a.extents != b.extents || a.copies != b.copies)
    return Diag{
        fmt::format("%{} is {} in {} and {} in {}", a.name, a.shapeText(), first.name(), b.shapeText(), second.name()),
        "equal shapes",
        b.input && !b.output ? fmt::format("other sizes (with M=...), or where \"{0} = {0}.reshape(...)\"", a.name)
                             : "other sizes (with M=...)"};
  const bool integer = a.type.precision == 0 || b.type.precision == 0;
  if (integer && a.type != b.type)
    return Diag{fmt::format("%{} is {} in {} and {} in {}", a.name, a.element, first.name(), b.element, second.name()),
                "integers of equal types", fmt::format("declare %{} with one type", a.name)};
  if (a.alias != b.alias)
    return Diag{
        fmt::format("elements of %{} share storage in {} only", a.name, a.alias.empty() ? second.name() : first.name()),
        "strides with which the same elements are stored together in both"};
  if (a.element != b.element)
    out.notes.push_back(
        fmt::format("%{} is {} in {} and {} in {}", a.name, a.element, first.name(), b.element, second.name()));
  return {};
}

// An output of one side only: fine if its own kernels pass it on.
Result<void> onlyHere(const Side& side, const Port& port, const Side& other) {
  const Port* there = other.port(port.name);
  if (port.passed && (there == nullptr || !there->input)) return {};
  return Diag{
      fmt::format("{} writes %{}:{}, which {} does not write", side.name(), port.name, port.shapeText(), other.name()),
      fmt::format("outputs with equal names; those of {} are {}", other.name(), declared(other, false)),
      "rename the output in one of them"};
}

}  // namespace

std::string listOf(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t k = 0; k < names.size(); ++k)
    out += fmt::format("{}%{}", k == 0 ? "" : k + 1 == names.size() ? " and " : ", ", names[k]);
  return out;
}

Result<CommonPorts> commonPorts(const Side& first, const Side& second, const Words& stated, const Words& used) {
  CommonPorts out;
  for (const std::string& word : stated) {
    const Port* p = second.port(word);
    if (p == nullptr || !p->input)
      return Diag{fmt::format("'{}' is no input of {}", word, second.name()), "one of " + listOf(inputsOf(second))};
  }
  for (const Port& a : first.ports()) {
    const Port* b = second.port(a.name);
    if (a.input) {
      out.inputs.push_back(a.name);
      const bool needed = used.count(a.name) == 0;
      if (stated.count(a.name) == 0) {
        // An unused declaration in the other program still says that it knows the input.
        if (needed && (b == nullptr || (b->output && !b->input && !a.output))) return missing(first, a, second, false);
        if (b != nullptr && (b->input || needed)) TESSERA_CHECKED(sameStorage(first, a, second, *b, out));
      }
    }
    if (!a.output) continue;
    if (b == nullptr || !b->output) {
      TESSERA_CHECKED(onlyHere(first, a, second));
      continue;
    }
    if (!a.input) TESSERA_CHECKED(sameStorage(first, a, second, *b, out));
    out.outputs.push_back(a.name);
  }
  for (const Port& b : second.ports()) {
    const Port* a = first.port(b.name);
    if (b.input && stated.count(b.name) == 0) {
      if (a == nullptr || (a->output && !a->input && !b.output)) return missing(second, b, first, true);
      if (!a->input) {
        TESSERA_CHECKED(sameStorage(first, *a, second, b, out));
        out.inputs.push_back(b.name);
      }
    }
    if (b.output && (a == nullptr || !a->output)) TESSERA_CHECKED(onlyHere(second, b, first));
  }
  if (out.outputs.empty())
    return Diag{fmt::format("{} and {} have no output in common", first.name(), second.name()),
                fmt::format("outputs with equal names; {} has {}, {} has {}", first.name(), declared(first, false),
                            second.name(), declared(second, false))};
  return out;
}

Result<CommonPorts> commonPorts(const Side& first, const Words& assigned) {
  CommonPorts out;
  out.inputs = inputsOf(first);
  for (const Port& a : first.ports())
    if (a.output && assigned.count(a.name) != 0) out.outputs.push_back(a.name);
  for (const Port& a : first.ports())
    if (a.output && !a.passed && assigned.count(a.name) == 0)
      return Diag{fmt::format("the reference does not assign %{}, an output of {}", a.name, first.name()),
                  fmt::format("\"{} = ...\"", a.name)};
  if (out.outputs.empty())
    return Diag{"the reference assigns no output of " + first.name(), "one of " + declared(first, false)};
  return out;
}

}  // namespace tessera::graphene
