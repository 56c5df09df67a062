#include "core/notation/cute/int_tuple.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/base/check.h"
#include "core/base/mapped.h"

namespace tessera::cute {

IntTuple IntTuple::staticLeaf(i64 value) {
  IntTuple t(value);
  t.static_ = true;
  return t;
}

IntTuple IntTuple::wildcard() { return {Kind::Wildcard, nullptr}; }

IntTuple IntTuple::tuple(std::vector<IntTuple> children) {
  auto extra = std::make_shared<Extra>();
  extra->leaves = 0;
  for (const IntTuple& c : children) {
    extra->depth = std::max(extra->depth, c.depth());
    extra->leaves += c.leafCount();
  }
  ++extra->depth;
  extra->children = std::move(children);
  return {Kind::Tuple, std::move(extra)};
}

IntTuple IntTuple::tupleOrOne(std::vector<IntTuple> children) {
  return children.size() == 1 ? std::move(children[0]) : tuple(std::move(children));
}

IntTuple IntTuple::unknown(int bits, i64 divisor) {
  if (bits == 0 && divisor == 1) return {Kind::Unknown, nullptr};
  return {Kind::Unknown, std::make_shared<Extra>(Extra{.unknownBits = bits, .unknownDivisor = divisor})};
}

IntTuple IntTuple::scaledBasis(i64 value, std::vector<int> path, bool isStatic) {
  IntTuple t(value);
  t.static_ = isStatic;
  if (!path.empty()) t.extra_ = std::make_shared<Extra>(Extra{.basis = std::move(path)});
  return t;
}

const IntTuple& IntTuple::mode(int k) const {
  if (isLeaf()) {
    LAYOUT_CHECK(k == 0, "a leaf has one mode");
    return *this;
  }
  LAYOUT_CHECK(k >= 0 && k < rank(), "mode index within the rank");
  return extra_->children[static_cast<std::size_t>(k)];
}

std::vector<IntTuple> IntTuple::leaves() const {
  std::vector<IntTuple> out;
  out.reserve(leafCount());
  forEachLeaf(*this, [&](const IntTuple& l) { out.push_back(l); });
  return out;
}

bool IntTuple::allKnown() const {
  return everyLeaf(*this, [](const IntTuple& l) { return l.isKnown(); });
}
bool IntTuple::allStatic() const {
  return everyLeaf(*this, [](const IntTuple& l) { return l.isKnown() && l.isStatic(); });
}
bool IntTuple::hasBasis() const {
  return !everyLeaf(*this, [](const IntTuple& l) { return l.basis().empty(); });
}
bool IntTuple::hasWildcard() const {
  return !everyLeaf(*this, [](const IntTuple& l) { return !l.isWildcard(); });
}

IntTuple IntTuple::withStatic(bool isStatic) const {
  if (everyLeaf(*this, [&](const IntTuple& l) { return !l.isKnown() || l.isStatic() == isStatic; })) return *this;
  if (isTuple()) return tuple(mapped<IntTuple>(children(), [&](const IntTuple& c) { return c.withStatic(isStatic); }));
  IntTuple t = *this;
  if (t.isKnown()) t.static_ = isStatic;
  return t;
}

bool operator==(const IntTuple& a, const IntTuple& b) {
  if (a.kind_ != b.kind_) return false;
  if (a.isTuple()) return a.extra_ == b.extra_ || a.children() == b.children();
  return a.value_ == b.value_ && a.basis() == b.basis() && a.unknownBits() == b.unknownBits() &&
         a.unknownDivisor() == b.unknownDivisor();
}

namespace {

void printLeaf(const IntTuple& t, std::string& out) {
  switch (t.kind()) {
    case IntTuple::Kind::Wildcard:
      out += '_';
      return;
    case IntTuple::Kind::Unknown:
      out += '?';
      if (t.unknownBits() != 0) out += fmt::format("{{i{}", t.unknownBits());
      if (t.unknownDivisor() != 1) out += fmt::format("{}div={}", t.unknownBits() != 0 ? " " : "{", t.unknownDivisor());
      if (t.unknownBits() != 0 || t.unknownDivisor() != 1) out += '}';
      break;
    default:
      if (t.isStatic()) out += '_';
      out += std::to_string(t.value());
  }
  for (auto it = t.basis().rbegin(); it != t.basis().rend(); ++it) out += fmt::format("@{}", *it);
}

void printTo(const IntTuple& t, std::string& out) {
  if (t.isLeaf()) return printLeaf(t, out);
  out += '(';
  for (std::size_t i = 0; i < t.children().size(); ++i) {
    if (i > 0) out += ',';
    printTo(t.children()[i], out);
  }
  out += ')';
}

}  // namespace

std::string print(const IntTuple& t) {
  std::string out;
  printTo(t, out);
  return out;
}

bool congruent(const IntTuple& a, const IntTuple& b) {
  if (a.isLeaf() || b.isLeaf()) return a.isLeaf() == b.isLeaf();
  return std::equal(a.children().begin(), a.children().end(), b.children().begin(), b.children().end(), congruent);
}

bool compatible(const IntTuple& a, const IntTuple& b) {
  if (a.isLeaf()) {
    const Result<i64> n = product(b);
    return a.isKnown() && n.ok() && a.value() == *n;
  }
  if (b.isLeaf()) return false;
  return std::equal(a.children().begin(), a.children().end(), b.children().begin(), b.children().end(), compatible);
}

Result<i64> product(const IntTuple& t) {
  std::optional<i64> n = 1;  // ignoring zeros, so that overflow does not depend on the order of the factors
  bool zero = false;
  const IntTuple* notNumber = nullptr;
  (void)everyLeaf(t, [&](const IntTuple& l) {
    if (!l.isPlain()) notNumber = &l;
    if (notNumber == nullptr && l.value() != 0) n = checkedMul(*n, l.value());
    zero = zero || l.value() == 0;
    return notNumber == nullptr && n.has_value();
  });
  if (notNumber != nullptr)
    return Diag{fmt::format("{} has no size: {} is not a number", print(t), print(*notNumber)), "known integers"};
  if (!n) return Diag{fmt::format("the size of {} does not fit in 64 bits", print(t)), "a product below 2^63"};
  return zero ? 0 : *n;
}

Result<IntTuple> productEach(const IntTuple& t) {
  if (t.isLeaf()) return t;
  return tupleOf(t.rank(), [&](int k) -> Result<IntTuple> {
    TESSERA_TRY(const i64 n, product(t.mode(k)));
    return IntTuple(n).withStatic(t.mode(k).allStatic());
  });
}

IntTuple flatten(const IntTuple& t) { return t.isLeaf() ? t : IntTuple::tuple(t.leaves()); }

namespace {

IntTuple rebuild(const IntTuple& profile, const std::vector<IntTuple>& leaves, std::size_t& next) {
  if (profile.isLeaf()) return leaves[next++];
  return IntTuple::tuple(
      mapped<IntTuple>(profile.children(), [&](const IntTuple& c) { return rebuild(c, leaves, next); }));
}

}  // namespace

IntTuple withLeaves(const IntTuple& profile, const std::vector<IntTuple>& leaves) {
  LAYOUT_CHECK(leaves.size() == profile.leafCount(), "one new leaf for each leaf of the profile");
  std::size_t next = 0;
  return rebuild(profile, leaves, next);
}

IntTuple unwrapped(const IntTuple& t) {
  const IntTuple* p = &t;
  while (p->isTuple() && p->rank() == 1) p = &p->children()[0];
  return *p;
}

Result<IntTuple> shapeDiv(const IntTuple& a, const IntTuple& b) {
  if (a.isTuple() && b.isTuple()) {
    if (a.rank() != b.rank())
      return Diag{fmt::format("shape_div of {} by {}: {} modes against {}", print(a), print(b), a.rank(), b.rank()),
                  "tuples of the same rank"};
    return tupleOf(a.rank(), [&](int k) { return shapeDiv(a.mode(k), b.mode(k)); });
  }
  if (a.isTuple()) {
    IntTuple rest = b;
    return tupleOf(a.rank(), [&](int k) -> Result<IntTuple> {
      TESSERA_TRY(const i64 n, product(a.mode(k)));
      TESSERA_TRY(IntTuple q, shapeDiv(a.mode(k), rest));
      TESSERA_TRY(rest, shapeDiv(rest, IntTuple(n)));
      return q;
    });
  }
  if (b.isTuple()) {
    TESSERA_TRY(const i64 n, product(b));
    return shapeDiv(a, IntTuple(n));
  }
  TESSERA_TRY(const i64 x, product(a));
  TESSERA_TRY(const i64 y, product(b));
  if (x < 1 || y < 1)
    return Diag{fmt::format("shape_div of {} by {}: extents are at least 1", x, y), "positive integers"};
  if (x % y != 0 && y % x != 0)
    return Diag{fmt::format("shape_div: {} does not divide {}, and {} does not divide {}", y, x, x, y),
                "one of the two dividing the other"};
  return IntTuple(x % y == 0 ? x / y : 1).withStatic(a.allStatic() && b.allStatic());
}

}  // namespace tessera::cute
