#include "core/graphene/reader/read_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/graphene/walk.h"

namespace tessera::graphene {
namespace {

struct KindRow {
  std::string_view word;
  SpecKind kind;
};
constexpr KindRow kKinds[] = {
    {"Move", SpecKind::Move},
    {"MatMul", SpecKind::MatMul},
    {"UnaryPointwise", SpecKind::UnaryPointwise},
    {"BinaryPointwise", SpecKind::BinaryPointwise},
    {"Reduction", SpecKind::Reduction},
    {"Shfl", SpecKind::Shfl},
    {"Init", SpecKind::Init},
    {"Allocate", SpecKind::Allocate},
    {"Spec", SpecKind::Generic},
    // other spellings; name() gives the first of a kind
    {"UnaryPW", SpecKind::UnaryPointwise},
    {"BinaryPW", SpecKind::BinaryPointwise},
};

bool sameStrides(const Dim& a, const Dim& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Mode& x, const Mode& y) { return x.size == y.size && x.stride == y.stride; });
}

}  // namespace

std::string_view name(SpecKind kind) {
  const auto* row =
      std::find_if(std::begin(kKinds), std::end(kKinds), [&](const KindRow& r) { return r.kind == kind; });
  return row->word;
}

std::optional<SpecKind> kindOf(std::string_view word) {
  const auto* row =
      std::find_if(std::begin(kKinds), std::end(kKinds), [&](const KindRow& r) { return r.word == word; });
  return row == std::end(kKinds) ? std::nullopt : std::optional(row->kind);
}

std::vector<std::string> kindWords() {
  std::vector<std::string> words;
  for (const KindRow& r : kKinds) words.emplace_back(r.word);
  return words;
}

std::optional<std::string> typeDifference(const Tensor& written, const std::vector<bool>& plain, const Tensor& made) {
  if (!written.element.empty() && written.element != made.element) return "." + written.element;
  if (written.memory != Memory::None && written.memory != made.memory) return "another memory";
  if (!written.swizzle.isIdentity() && written.swizzle != made.swizzle) return cute::print(written.swizzle);
  if (written.holds && written.holds != made.holds) return "another distribution";
  if (written.levels.size() != made.levels.size()) return fmt::format("{} levels", written.levels.size());
  for (std::size_t l = 0; l < made.levels.size(); ++l) {
    const auto &a = written.levels[l].dims, &b = made.levels[l].dims;
    if (a.size() != b.size()) return fmt::format("{} dimensions", a.size());
    for (std::size_t d = 0; d < a.size(); ++d) {
      if (sizeOf(a[d]) != sizeOf(b[d])) return fmt::format("{} in dimension {}", print(sizeOf(a[d]), made.symbols), d);
      if (!plain[l] && !sizeOf(b[d]).isConstant(1) && !sameStrides(a[d], b[d]))
        return fmt::format("other strides in dimension {}", d);
    }
  }
  return std::nullopt;
}

std::optional<Diag> arityFault(const Spec& s) {
  std::size_t wanted = s.inputs.size();
  if (s.kind == SpecKind::Move || s.kind == SpecKind::UnaryPointwise || s.kind == SpecKind::Reduction ||
      s.kind == SpecKind::Shfl)
    wanted = 1;
  if (s.kind == SpecKind::MatMul || s.kind == SpecKind::BinaryPointwise) wanted = 2;
  if (s.kind == SpecKind::Init || s.kind == SpecKind::Allocate) wanted = 0;
  if (s.inputs.size() != wanted)
    return Diag{
        fmt::format("{} reads {} tensor{}, not {}", name(s.kind), wanted, wanted == 1 ? "" : "s", s.inputs.size()),
        fmt::format("{} inputs", wanted)};
  if (s.kind != SpecKind::Generic && s.outputs.size() != 1)
    return Diag{fmt::format("{} writes one tensor, not {}", name(s.kind), s.outputs.size()), "one output"};
  return std::nullopt;
}

Expr joined(const Dim& dim, const std::vector<Expr>& modes) {
  Expr out = Expr::constant(0), running = Expr::constant(1);
  for (std::size_t k = 0; k < dim.size(); ++k) {
    out = out + modes[k] * running;
    running = running * dim[k].size;
  }
  return out;
}

void nameSymbols(Body& body, const Names& names) {
  const auto name = [&](std::vector<Tensor>& tensors) {
    for (Tensor& t : tensors) t.symbols = names;
  };
  for (Statement& s : body) {
    if (auto* define = std::get_if<Define>(&s.what)) define->tensor.symbols = names;
    if (auto* temporary = std::get_if<Temporary>(&s.what)) temporary->tensor.symbols = names;
    if (auto* spec = std::get_if<Spec>(&s.what))
      for (auto* tensors : {&spec->outputs, &spec->inputs, &spec->blocks, &spec->threads, &spec->barriers})
        name(*tensors);
    if (auto* barrier = std::get_if<Mbarrier>(&s.what)) {
      barrier->barrier.symbols = names;
      name(barrier->data);
    }
    for (Body* inside : bodiesOf(s)) nameSymbols(*inside, names);
  }
}

}  // namespace tessera::graphene
