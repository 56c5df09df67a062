#include "solver/kernel/reference/equations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/graphene/program.h"
#include "solver/emulate/meaning_value.h"
#include "solver/kernel/reference/symbols.h"

namespace tessera::kernel::reference {

namespace {

using Names = std::map<std::string, Array, std::less<>>;

// The equations with % before the names of buffers, and the numbers of scalars; and the buffers, in order.
struct Rewritten {
  std::string text;
  std::vector<std::string> outputs, inputs;
  std::vector<std::size_t> from;  // by byte of `text`: where it comes from
};

// By name: the number of a scalar; nullopt: a buffer.
using Known = std::map<std::string, std::optional<double>, std::less<>>;

Rewritten rewritten(std::string_view text, const Known& names) {
  Rewritten out;
  const auto add = [&](std::string_view piece, std::size_t at) {
    out.text += piece;
    out.from.insert(out.from.end(), piece.size(), at);
  };
  const auto note = [](std::vector<std::string>& list, const std::string& name) {
    if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
  };
  bool start = true;  // of a statement
  int depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (!isNameStart(c)) {
      if (c == '(' || c == '[') ++depth;
      if (c == ')' || c == ']') --depth;
      if (depth == 0 && (c == '\n' || c == ';')) start = true;
      if (c != '%') add(c == ';' ? "\n" : text.substr(at, 1), at);
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && isNamePart(text[end])) ++end;
    const std::string name(text.substr(at, end - at));
    const auto found = names.find(name);
    if (found == names.end()) {
      add(name, at);
    } else if (found->second) {
      add(fmt::format("{}", *found->second), at);
    } else {
      note(start ? out.outputs : out.inputs, name);
      add("%", at);
      add(name, at);
    }
    start = false;
    at = end;
  }
  return out;
}

std::string declaration(const std::string& name, const Array& a) {
  std::string extents, strides;
  i64 stride = a.count();
  for (const i64 extent : a.shape) {
    stride /= std::max<i64>(extent, 1);
    extents += fmt::format("{}{}", extents.empty() ? "" : ",", extent);
    strides += fmt::format("{}{}", strides.empty() ? "" : ",", stride);
  }
  return fmt::format("%{}:[{}:{}].fp32.GL\n", name, extents, strides);
}

template <class Domain, class Read, class Element>
Result<std::vector<Assigned>> valuesOf(const graphene::Spec& spec, Domain& domain, const Names& names, const Read& read,
                                       const Element& element) {
  graphene::MeaningValue<Domain>* evaluated = nullptr;
  graphene::MeaningValue<Domain> value(
      spec, domain, [](int) { return std::nullopt; },
      [&](int port, i64 at) {
        const std::string& name =
            graphene::operandOf(spec,
                                static_cast<std::size_t>(evaluated->ports()[static_cast<std::size_t>(port)].operand))
                .name;
        return read(names.find(name)->second.data[static_cast<std::size_t>(at)]);
      });
  evaluated = &value;
  std::vector<Assigned> out;
  for (std::size_t k = 0; k < spec.outputs.size(); ++k) {
    Assigned one{spec.outputs[k].name, names.find(spec.outputs[k].name)->second};
    for (std::size_t i = 0; i < one.value.data.size() && value.fault().empty(); ++i) {
      spend(4);
      one.value.data[i] = element(value.value(static_cast<int>(k), static_cast<i64>(i)));
    }
    if (!value.fault().empty()) return Diag{value.fault()};
    one.value.kind = Array::Kind::Float;
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

bool isEquations(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && (isBlank(text[at]) || text[at] == '%')) ++at;
  if (at == text.size() || !isNameStart(text[at])) return false;
  while (at < text.size() && isNamePart(text[at])) ++at;
  while (at < text.size() && isBlank(text[at])) ++at;
  if (at == text.size() || text[at] != '[') return false;
  const std::size_t close = text.find(']', at);
  if (close == std::string_view::npos) return false;
  at = close + 1;
  while (at < text.size() && isBlank(text[at])) ++at;
  return at < text.size() && text[at] == '=' && (at + 1 == text.size() || text[at + 1] != '=');
}

namespace {

// `head`: the declarations of the buffers.
Result<graphene::Program> programOf(const Rewritten& written, std::string head, std::string_view text) {
  std::string inputs, outputs;
  for (const std::string& name : written.outputs) outputs += (outputs.empty() ? "%" : ", %") + name;
  // An output that is read keeps its name; it is no further input.
  for (const std::string& name : written.inputs)
    if (std::find(written.outputs.begin(), written.outputs.end(), name) == written.outputs.end())
      inputs += (inputs.empty() ? "%" : ", %") + name;
  if (outputs.empty())
    return Diag{"the equations define no argument", "C[i,j] = ...", "--arg C=f32[64,64]=0 gives an argument a name"};
  head +=
      fmt::format("#b:[1:1].block  #t:[1:1].thread\n{} <- Spec<reference><<<#b,#t>>>({}) means {{\n", outputs, inputs);
  auto program = graphene::readProgram(head + written.text + "\n}\n");
  if (!program) {
    Diag diag = program.error();
    if (diag.span.begin >= head.size() + written.text.size()) {  // at the brace that closes them here
      if (diag.message == "unexpected `}`") diag.message = "the equation ends too early";
      diag.span = {text.empty() ? 0 : text.size() - 1, text.size()};
      return diag;
    }
    const auto place = [&](std::size_t at) {
      return at >= head.size() && at - head.size() < written.from.size() ? written.from[at - head.size()] : text.size();
    };
    if (!diag.span.empty())
      diag.span = {place(diag.span.begin), std::max(place(diag.span.begin) + 1, place(diag.span.end - 1) + 1)};
    diag.span.end = std::min(diag.span.end, text.size());
    return diag;
  }
  const auto* spec = std::get_if<graphene::Spec>(&program->specs.front().what);
  if (spec == nullptr || !spec->meaning) return Diag{"these are no equations", "C[i,j] = sum(k < 64) A[i,k] * B[k,j]"};
  return program;
}

}  // namespace

Result<std::vector<Assigned>> evaluateEquations(std::string_view text, const Names& names) {
  Known known;
  for (const auto& [name, array] : names) {
    known[name];
    if (array.rank() == 0) known[name] = Symbols::current() != nullptr ? meantBy(array.data[0]) : array.data[0];
  }
  const Rewritten written = rewritten(text, known);
  std::string head;
  std::set<std::string> all(written.inputs.begin(), written.inputs.end());
  all.insert(written.outputs.begin(), written.outputs.end());
  for (const std::string& name : all) head += declaration(name, names.find(name)->second);
  TESSERA_TRY(const graphene::Program program, programOf(written, std::move(head), text));
  const graphene::Spec* spec = std::get_if<graphene::Spec>(&program.specs.front().what);
  if (Symbols* const symbols = Symbols::current(); symbols != nullptr)
    return valuesOf(
        *spec, symbols->values().terms(), names, [&](double x) { return symbols->term(x); },
        [](graphene::Terms::Value v) { return Symbols::element(v); });
  graphene::Numbers numbers;
  return valuesOf(
      *spec, numbers, names, [](double x) { return x; }, [](double x) { return x; });
}

Result<graphene::Program> equationsProgram(std::string_view text, const graphene::Program& of,
                                           const std::map<std::string, i64>& numbers) {
  const std::vector<std::string> sizes = graphene::namesOf(of.variables);
  Known known;
  for (const auto& [name, value] : numbers) known[name] = static_cast<double>(value);
  std::string head;
  for (const graphene::Tensor& t : of.operands) {
    if (t.threads || t.memory != graphene::Memory::Global || t.levels.size() != 1) continue;
    known[t.name] = std::nullopt;
    std::vector<std::string> extents;
    for (const Expr& e : t.extents) extents.push_back(graphene::print(e, sizes));
    head += fmt::format("%{}:[{}].fp32.GL\n", t.name, fmt::join(extents, ","));
  }
  return programOf(rewritten(text, known), std::move(head), text);
}

}  // namespace tessera::kernel::reference
