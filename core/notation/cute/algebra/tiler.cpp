#include "core/notation/cute/algebra/tiler.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::cute {

bool Tiler::operator==(const Tiler& other) const { return entries == other.entries; }

namespace {

bool hasColon(const Tiler& tiler) {
  return std::any_of(tiler.entries.begin(), tiler.entries.end(), [](const TilerEntry& e) {
    return (e.kind == TilerEntry::Kind::Layout && !e.fromInteger) ||
           (e.kind == TilerEntry::Kind::Nested && hasColon(e.nested));
  });
}

std::string printNested(const Tiler& tiler, char open, char close) {
  std::string out(1, open);
  for (std::size_t k = 0; k < tiler.entries.size(); ++k) {
    const TilerEntry& e = tiler.entries[k];
    if (k > 0) out += ',';
    if (e.kind == TilerEntry::Kind::Whole) {
      out += '_';
    } else if (e.kind == TilerEntry::Kind::Nested) {
      out += printNested(e.nested, open, close);
    } else {
      out += e.fromInteger ? print(e.layout.shape()) : print(e.layout);
    }
  }
  return out + close;
}

}  // namespace

// With a layout inside, C++'s parentheses are unambiguous; otherwise they would read back as a shape.
std::string print(const Tiler& tiler) {
  return hasColon(tiler) ? printNested(tiler, '(', ')') : printNested(tiler, '<', '>');
}

Result<Tiler> tilerOfShape(const IntTuple& shape) {
  Tiler tiler;
  for (int k = 0; k < shape.rank(); ++k) {
    const IntTuple& s = shape.mode(k);
    TilerEntry entry;
    if (s.isTuple()) {
      entry.kind = TilerEntry::Kind::Nested;
      TESSERA_TRY(entry.nested, tilerOfShape(s));
    } else if (!s.isWildcard()) {
      entry.kind = TilerEntry::Kind::Layout;
      entry.fromInteger = true;
      TESSERA_TRY(entry.layout, Layout::make(s, s.isStatic() ? IntTuple::staticLeaf(1) : IntTuple(1)));
    }
    tiler.entries.push_back(std::move(entry));
  }
  return tiler;
}

}  // namespace tessera::cute
