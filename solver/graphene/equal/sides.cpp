#include "solver/graphene/equal/sides.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/chars.h"
#include "core/base/work_budget.h"
#include "core/graphene/reader/parameters.h"
#include "solver/kernel/reference/evaluate.h"

namespace tessera::graphene {
namespace {

using kernel::reference::Array;
using kernel::reference::Assigned;

// An identifier-like word that occurs in a text.
bool mentions(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool before = at == 0 || !isNamePart(text[at - 1]);
    const bool after = at + word.size() == text.size() || !isNamePart(text[at + word.size()]);
    if (before && after) return true;
  }
  return false;
}

std::string sizesText(const Sizes& sizes) {
  std::string out;
  for (const auto& [name, value] : sizes) out += fmt::format("{}{}={}", out.empty() ? "" : ", ", name, value);
  return out;
}

Result<Side> sideOf(const EqualQuestion& q, const Listing& listing, const Sizes& sizes) {
  const Sizes mine = onlySizes(sizes, sizeNames(*listing.program));
  for (const std::string& name : sizeNames(*listing.program))
    if (mine.count(name) == 0)
      return Diag{fmt::format("the size {} of {} is not known", name, listing.name),
                  fmt::format("a number for it, or a line // small: {} = 2 in the program", name),
                  fmt::format("with {}=2; --size {}=2", name, name)};
  TESSERA_TRY(const Listing sized, sizedListing(listing, mine));
  auto side = Side::of(listing.name, sized.program, architectureOf(listing.text, q.architecture));
  if (!side)
    return Diag{fmt::format("{} cannot be run: {}", listing.name, side.error().message), side.error().expected,
                side.error().hint};
  return side;
}

double unitOf(const Port&, i64) { return 1; }
SizeNames namesOfArrays(const Arrays& arrays) {
  SizeNames out;
  for (const auto& [name, value] : arrays) out.insert(name);
  return out;
}

// A scalar or a shape with further extents of 1 fits; the data are in row-major order in each case.
Result<void> shaped(const Array& a, const Port& port) {
  const auto squeezed = [](const std::vector<i64>& shape) {
    std::vector<i64> out;
    for (const i64 extent : shape)
      if (extent != 1) out.push_back(extent);
    return out;
  };
  if (port.copies == 1 && squeezed(a.shape) == squeezed(port.extents)) return {};
  return Diag{fmt::format("{} has the shape {}, but %{} is {}", port.name, kernel::reference::shapeText(a.shape),
                          port.name, port.shapeText()),
              "equal shapes", fmt::format("\"{} = (...).reshape({})\"", port.name, fmt::join(port.extents, ", "))};
}

}  // namespace

Result<Arrays> Sides::evaluated(const std::string& text,
                                const std::function<double(const Port&, i64)>& elementAt) const {
  Arrays names, out;
  for (const auto& [name, value] : named)
    names[name] = kernel::reference::scalarOf(static_cast<double>(value), Array::Kind::Integer);
  for (const Port& p : first->ports()) {
    if (p.copies != 1) continue;
    Array a;
    a.shape = p.extents;
    a.kind = p.type.precision == 0 ? Array::Kind::Integer : Array::Kind::Float;
    spend(p.elements / 4 + 1);
    for (i64 e = 0; e < p.elements; ++e) a.data.push_back(elementAt(p, e));
    names[p.name] = std::move(a);
  }
  auto assigned = kernel::reference::evaluate(text, names);
  if (!assigned) {
    Diag diag = assigned.error();
    diag.message = fmt::format("in \"{}\": {}", text.substr(0, 200), diag.message);
    diag.span = {};
    return diag;
  }
  for (Assigned& one : *assigned) out[one.name] = std::move(one.value);
  return out;
}
SizeNames sizeNames(const Program& program) {
  SizeNames out;
  for (const Variable& v : program.variables)
    if (v.kind == Variable::Kind::Size) out.insert(v.name);
  return out;
}

Sizes onlySizes(const Sizes& sizes, const SizeNames& names) {
  Sizes out;
  for (const auto& [name, value] : sizes)
    if (names.count(name) != 0) out[name] = value;
  return out;
}

std::string atSizes(const Sizes& sizes) { return sizes.empty() ? "" : fmt::format(" at {}", sizesText(sizes)); }

// The program of a file or a block with these sizes.
Result<Listing> sizedListing(const Listing& listing, const Sizes& sizes) {
  if (sizes.empty()) return listing;
  const Span inside = programIn(listing.text);
  std::string text = listing.text;
  for (std::size_t k = 0; k < text.size(); ++k)
    if ((k < inside.begin || k >= inside.end) && text[k] != '\n') text[k] = ' ';
  TESSERA_TRY(Listing out, readSizedListing(listing.name, text, sizes));
  out.text = listing.text;
  return out;
}

TwoSizes withSmallSizes(const EqualQuestion& q, TwoSizes given) {
  Sizes all;
  const auto add = [&](const Sizes& more) {
    for (const auto& [name, value] : more) all.try_emplace(name, value);
  };
  if (q.second) {
    const auto addBaseline = [&](const Listing& of, const Listing& other) {
      if (const auto line = baselineOf(of.text); line && nameOf(*line) == other.name) add(line->sizes);
    };
    addBaseline(q.first, *q.second);
    addBaseline(*q.second, q.first);
  }
  add(smallSizes(q.first.text));
  if (q.second) add(smallSizes(q.second->text));
  TwoSizes out = std::move(given);
  for (const auto& [name, value] : all) {
    out.first.try_emplace(name, value);
    out.second.try_emplace(name, value);
  }
  return out;
}

Result<Sides> sidesAt(const EqualQuestion& q, const TwoSizes& sizes) {
  Sides out;
  out.reference = q.reference;
  out.where = q.where;
  out.ranges = q.ranges;
  TESSERA_TRY(Side first, sideOf(q, q.first, sizes.first));
  out.first = std::move(first);
  out.sizes = onlySizes(sizes.first, sizeNames(*q.first.program));
  out.named = sizes.second;
  for (const auto& [name, value] : sizes.first) out.named[name] = value;
  if (!q.second && !q.where.empty())
    return Diag{"`where` relates the inputs of two programs; there is only one", "a reference alone",
                "write it into the reference: its names are local unless they are outputs"};
  if (!q.second) {
    TESSERA_TRY(const Arrays values, out.evaluated(q.reference, unitOf));
    TESSERA_TRY(out.ports, commonPorts(*out.first, namesOfArrays(values)));
    for (const std::string& name : out.ports.outputs)
      TESSERA_CHECKED(shaped(values.find(name)->second, *out.first->port(name)));
    return out;
  }
  TESSERA_TRY(Side second, sideOf(q, *q.second, sizes.second));
  out.second = std::move(second);
  for (const auto& [name, value] : onlySizes(sizes.second, sizeNames(*q.second->program))) {
    const auto [known, fresh] = out.sizes.try_emplace(name, value);
    if (!fresh && known->second != value) out.sizes[fmt::format("{} of {}", name, q.second->name)] = value;
  }
  SizeNames stated, used;
  if (!q.where.empty()) {
    TESSERA_TRY(const Arrays values, out.evaluated(q.where, unitOf));
    for (const auto& [name, value] : values) {
      const Port* port = out.second->port(name);
      if (port == nullptr || !port->input) continue;  // a local name
      stated.insert(name);
      TESSERA_CHECKED(shaped(value, *port));
    }
    if (stated.empty())
      return Diag{fmt::format("`where` states no input of {}", out.second->name()), "where \"NAME = ...\""};
    for (const Port& p : out.first->ports())
      if (p.input && mentions(q.where, p.name)) used.insert(p.name);
  }
  TESSERA_TRY(out.ports, commonPorts(*out.first, *out.second, stated, used));
  return out;
}

}  // namespace tessera::graphene
