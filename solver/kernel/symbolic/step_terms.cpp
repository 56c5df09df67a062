#include "solver/kernel/symbolic/step_terms.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/base/arith.h"
#include "core/base/work_budget.h"
#include "solver/kernel/lanes/floating.h"
#include "solver/kernel/lanes/fragments.h"
#include "solver/kernel/lanes/make.h"

namespace tessera::kernel {

using ptx::Type;

namespace {

using graphene::Terms;

constexpr int kBytes = 8;                               // of a lane of a register
constexpr double kWhole = 12582912, kNearWhole = 1024;  // 1.5 * 2^23, from where on an f32 has no fraction

bool isWhole(const Terms& terms, Terms::Value v) {
  const Terms::Node& n = terms.node(v);
  return n.kind == Terms::Kind::Unary && terms.nameOf(n.operation) == "whole";
}

struct UnaryName {
  std::string_view opcode, operation;
};
constexpr UnaryName kUnaryNames[] = {{"rcp", "rcp"},  {"sqrt", "sqrt"}, {"rsqrt", "rsqrt"}, {"ex2", "exp2"},
                                     {"lg2", "log2"}, {"sin", "sin"},   {"cos", "cos"},     {"tanh", "tanh"},
                                     {"abs", "abs"},  {"neg", "neg"}};
constexpr UnaryName kBinaryNames[] = {{"add", "+"}, {"sub", "-"},   {"mul", "*"},
                                      {"div", "/"}, {"max", "max"}, {"min", "min"}};
constexpr UnaryName kComparisonNames[] = {{"eq", "=="}, {"ne", "!="},  {"lt", "<"},   {"le", "<="},
                                          {"gt", ">"},  {"ge", ">="},  {"equ", "=="}, {"neu", "!="},
                                          {"ltu", "<"}, {"leu", "<="}, {"gtu", ">"},  {"geu", ">="}};

std::string_view operationNamed(std::span<const UnaryName> table, std::string_view opcode) {
  for (const UnaryName& row : table)
    if (row.opcode == opcode) return row.operation;
  return {};
}

// The elements of a packed type.
std::pair<Type, int> elementsOf(Type t) {
  switch (t) {
    case Type::F16x2:
      return {Type::F16, 2};
    case Type::BF16x2:
      return {Type::BF16, 2};
    case Type::F32x2:
      return {Type::F32, 2};
    case Type::E4M3x2:
      return {Type::E4M3, 2};
    case Type::E5M2x2:
      return {Type::E5M2, 2};
    default:
      return {t, 1};
  }
}

bool isNumber(Type t) { return isFloat(t) || t == Type::TF32 || t == Type::E4M3 || t == Type::E5M2; }

// Instructions that move bits, and how many of their sources do; the others say where to.
struct Moving {
  std::string_view base;
  std::size_t sources;
};
constexpr Moving kMoving[] = {{"mov", 1},  {"not", 1},  {"and", 2}, {"or", 2},  {"xor", 2},
                              {"lop3", 3}, {"shl", 1},  {"shr", 1}, {"shf", 2}, {"prmt", 2},
                              {"selp", 2}, {"shfl", 1}, {"bfe", 1}, {"bfi", 2}, {"cvt", 1}};

// Whether each result bit is a bit of one of these sources, or fixed by the others: 0: it is not.
std::size_t movedSources(const ptx::Opcode& o) {
  if (o.has("sat")) return 0;
  for (const Moving& row : kMoving)
    if (row.base == o.base()) return row.sources;
  return 0;
}

// A number of four bytes for each byte of the sources of a step; runs k and k + 4 of a step see byte k.
class Tags {
 public:
  static constexpr int kRuns = 4, kSources = 16;
  Tags() {
    for (std::uint32_t id = 0; id < kSources * kLanes * kBytes; ++id) {
      u64 h = id;
      do h = splitMix(h);
      while (ids_.contains(static_cast<std::uint32_t>(h)) || isNumber(static_cast<std::uint32_t>(h)));
      values_.push_back(static_cast<std::uint32_t>(h));
      ids_.emplace(static_cast<std::uint32_t>(h), id);
    }
  }
  // Runs from kRuns on see the complement, so that a byte which depends on one bit of a tag is not the same in all.
  [[nodiscard]] u64 byteOf(std::size_t source, int lane, int byte, int run) const {
    const std::uint32_t tag =
        values_[(source * kLanes + static_cast<std::size_t>(lane)) * kBytes + static_cast<std::size_t>(byte)];
    return (run < kRuns ? tag : ~tag) >> 8 * (run % kRuns) & 0xff;
  }
  // Of four bytes that were seen: the same in each run.
  [[nodiscard]] static bool isNumber(std::uint32_t seen) { return seen == (seen & 0xff) * 0x01010101u; }
  // source, lane and byte, in one number; nullopt: no tag.
  [[nodiscard]] std::optional<std::uint32_t> find(std::uint32_t seen) const {
    const auto at = ids_.find(seen);
    return at != ids_.end() ? std::optional(at->second) : std::nullopt;
  }

 private:
  std::vector<std::uint32_t> values_;
  std::unordered_map<std::uint32_t, std::uint32_t> ids_;
};

const Tags& tags() {
  static const Tags kTags;
  return kTags;
}

// The type of a value that is held: that of a slot, or `otherwise`.
Type heldType(const LaneSlots& a, const LaneSlots& b, Type otherwise) {
  for (const LaneSlots* const one : {&a, &b})
    if ((*one)[0].term != 0 && (*one)[0].type != Type::None) return (*one)[0].type;
  return otherwise;
}

void put(LaneSlots& out, int at, Terms::Value term, Type type) {
  const std::vector<Slot> slots = Symbolic::slotsOf(term, type);
  std::copy(slots.begin(), slots.end(), out.begin() + at);
}

}  // namespace

bool StepTerms::symbolic(const Warp& w, const Step& s) const {
  return std::any_of(s.ins.begin(), s.ins.end(), [&](Place p) { return symbolic_->symbolicLanes(w, p) != 0; });
}

int StepTerms::symbolicSources(const Warp& w, const Step& s, int lane) const {
  return static_cast<int>(std::count_if(s.ins.begin(), s.ins.end(), [&](Place p) {
    const LaneSlots slots = symbolic_->registerSlots(w, lane, p);
    return std::any_of(slots.begin(), slots.end(), [](const Slot& one) { return one.term != 0; });
  }));
}

void StepTerms::compute(Warp& w, const Step& s, Mask mask, Mask group) {
  if (symbolic_ == nullptr) return;
  const Mask undecided = symbolic_->symbolicLanes(w, s.guard) & group;
  if (undecided == 0 && !symbolic(w, s)) return symbolic_->clear(w, s, mask);
  constexpr std::size_t kMostBytes = std::size_t{3} << 30;
  if (values().terms().bytes() > kMostBytes)
    throw OutOfBudget("the terms of its values take more than 3 GiB: prove it for smaller sizes",
                      OutOfBudget::Why::Counted);
  Results out(s.outs.size());
  const Mask lanes = mask | undecided;
  if (s.kind == Step::Kind::Pack)
    pack(w, s, lanes, out);
  else if (s.kind != Step::Kind::Compute || !arithmetic(w, s, lanes, out))
    moves(w, s, lanes, out);
  if (undecided != 0) choose(w, s, undecided, out);
  for (std::size_t k = 0; k < s.outs.size(); ++k)
    eachLane(lanes, [&](int l) { symbolic_->setRegister(w, l, s.outs[k], 0, out[k][static_cast<std::size_t>(l)]); });
}

std::optional<Terms::Value> StepTerms::source(const Warp& w, const Step& s, std::size_t k, int lane, Type type,
                                              int at) {
  const LaneSlots slots = symbolic_->registerSlots(w, lane, s.ins[k]);
  const u64 bits = sourceOf(program_, w, s.ins[k])[static_cast<std::size_t>(lane)];
  auto value = symbolic_->valueOf(std::span(slots).subspan(static_cast<std::size_t>(at)), bits >> (8 * at), type);
  if (value && (s.inverted >> k & 1) != 0) value = values().opposite(*value);
  return value;
}

// ---- operations on numbers

std::optional<Terms::Value> StepTerms::scalar(const Step& s, Type type, std::span<const Terms::Value> x) {
  const ptx::Opcode& o = s.source->opcode;
  const std::string_view base = o.base();
  std::optional<Terms::Value> out;
  if (const auto name = operationNamed(kBinaryNames, base); !name.empty() && x.size() == 2)
    out = values().binary(name, x[0], x[1]);
  else if (const auto unary = operationNamed(kUnaryNames, base); !unary.empty() && x.size() == 1)
    out = values().unary(unary, x[0]);
  else if ((base == "fma" || base == "mad") && x.size() == 3)
    out = values().multiplyAdd(x[0], x[1], x[2]);
  if (!out) return out;
  // Adding 1.5 * 2^23 rounds an f32 to a whole number: expf and its like do so on purpose.
  if (type == Type::F32 && (base == "add" || base == "fma"))
    if (const Terms::Node c = values().terms().node(x.back());
        c.kind == Terms::Kind::Constant && std::fabs(c.number - kWhole) < kNearWhole) {
      const Terms::Value rest = *values().binary("-", *out, values().constant(kWhole));
      out = values().binary("+", values().terms().unary(values().terms().operation("whole"), rest),
                            values().constant(kWhole));
    }
  if (o.has("sat"))
    out = values().binary("max", *values().binary("min", *out, values().constant(1)), values().constant(0));
  if (o.has("relu")) out = values().unary("relu", *out);
  return out;
}

bool StepTerms::arithmetic(const Warp& w, const Step& s, Mask mask, Results& out) {
  const ptx::Opcode& o = s.source->opcode;
  const std::string_view base = o.base();
  if (base == "mma" || base == "wmma") {
    product(w, s, out);
    return true;
  }
  if (base == "redux" && (o.has("add") || ((o.has("min") || o.has("max")) && isSigned(o.type())))) {
    reduceLanes(w, s, mask, out);
    return true;
  }
  const auto lanesOf = [&](const auto& visit) {
    eachLane(mask, [&](int l) {
      if (symbolicSources(w, s, l) > 0) visit(l);
    });
  };
  if (base == "setp") {
    lanesOf([&](int l) { compare(w, s, l, out); });
    return true;
  }
  if (base == "selp" && (symbolic_->symbolicLanes(w, s.ins[2]) & mask) != 0) {
    lanesOf([&](int l) {
      if (!select(w, s, l, out[0][static_cast<std::size_t>(l)]))
        symbolic_->fillOpaque(s, out[0][static_cast<std::size_t>(l)], 0, kBytes);
    });
    return true;
  }
  const std::vector<Type> types = o.types();
  if (base == "cvt" && types.size() >= 2 &&
      (isNumber(elementsOf(types[0]).first) || isNumber(elementsOf(types[1]).first))) {
    lanesOf([&](int l) {
      if (!convert(w, s, l, out[0][static_cast<std::size_t>(l)]))
        symbolic_->fillOpaque(s, out[0][static_cast<std::size_t>(l)], 0, kBytes);
    });
    return true;
  }
  const std::pair<Type, int> elements = elementsOf(o.type());
  const Type type = elements.first;
  const bool integer = !isNumber(type) && (ptx::bitsOf(type) == 32 || ptx::bitsOf(type) == 64) && !o.has("hi") &&
                       !o.has("wide") && !o.has("cc") && !o.has("sat") &&
                       (base == "add" || base == "sub" || base == "mul" || base == "mad" ||
                        ((base == "min" || base == "max") && isSigned(type)));
  const bool named = !operationNamed(kBinaryNames, base).empty() || !operationNamed(kUnaryNames, base).empty() ||
                     base == "fma" || base == "mad";
  if (!named || (!isFloat(type) && !integer)) return false;
  const int n = ptx::bitsOf(type) / 8;
  lanesOf([&](int l) {
    LaneSlots& to = out[0][static_cast<std::size_t>(l)];
    for (int e = 0; e < elements.second; ++e) {
      std::vector<Terms::Value> x;
      for (std::size_t k = 0; k < s.ins.size(); ++k)
        if (const auto value = source(w, s, k, l, type, e * n)) x.push_back(*value);
      const bool orders = base == "min" || base == "max";
      const bool readable = x.size() == s.ins.size() && (!orders || asSigned(w, s, l, type));
      const auto made = readable ? scalar(s, type, x) : std::nullopt;
      put(to, e * n, made ? *made : symbolic_->opaque(s), type);
    }
  });
  return true;
}

// Every lane gets the sum, or the extreme, of all lanes that execute it.
void StepTerms::reduceLanes(const Warp& w, const Step& s, Mask mask, Results& out) {
  const ptx::Opcode& o = s.source->opcode;
  const std::string_view operation = o.has("add") ? "+" : o.has("min") ? "min" : "max";
  std::optional<Terms::Value> all;
  bool whole = true;
  eachLane(mask, [&](int l) {
    const auto value = source(w, s, 0, l, o.type());
    whole = whole && value;
    if (value) all = all ? values().binary(operation, *all, *value) : *value;
  });
  const Terms::Value result = whole && all ? *all : symbolic_->opaque(s);
  eachLane(mask, [&](int l) { put(out[0][static_cast<std::size_t>(l)], 0, result, o.type()); });
}

// Rounding is ignored. Of two sources the first becomes the upper element.
bool StepTerms::convert(const Warp& w, const Step& s, int lane, LaneSlots& out) {
  const ptx::Opcode& o = s.source->opcode;
  const std::vector<Type> types = o.types();
  const auto [to, toCount] = elementsOf(types[0]);
  const auto [from, fromCount] = elementsOf(types[1]);
  if (!isNumber(to)) return false;  // rounds to an integer
  for (int e = 0; e < toCount; ++e) {
    const bool apart = fromCount == 1 && toCount == 2;
    const std::size_t k = apart ? static_cast<std::size_t>(1 - e) : 0;
    if (k >= s.ins.size()) return false;
    auto value = source(w, s, k, lane, from, apart ? 0 : e * ptx::bitsOf(from) / 8);
    if (!value) return false;
    const Terms::Kind kind = values().terms().node(*value).kind;
    if (!isNumber(from) && kind != Terms::Kind::Input && kind != Terms::Kind::Constant)
      return false;  // may have wrapped
    if (o.has("sat"))
      value = values().binary("max", *values().binary("min", *value, values().constant(1)), values().constant(0));
    if (o.has("relu")) value = values().unary("relu", *value);
    put(out, e * ptx::bitsOf(to) / 8, *value, to);
  }
  return true;
}

// Whether the integers that the lane holds are signed, or not, as the instruction has them: their order depends on it.
bool StepTerms::asSigned(const Warp& w, const Step& s, int lane, Type type) const {
  if (isNumber(type) || type == Type::Pred) return true;
  for (std::size_t k = 0; k < std::min<std::size_t>(s.ins.size(), 2); ++k) {
    const Slot held = symbolic_->registerSlots(w, lane, s.ins[k])[0];
    if (held.term != 0 && isSigned(held.type) != isSigned(type)) return false;
  }
  return true;
}

void StepTerms::compare(const Warp& w, const Step& s, int lane, Results& out) {
  const ptx::Opcode& o = s.source->opcode;
  const Type type = o.type();
  std::optional<Terms::Value> condition;
  const auto x = source(w, s, 0, lane, type), y = source(w, s, 1, lane, type);
  const bool ordered = x && y && asSigned(w, s, lane, type);
  for (const std::string_view part : o.parts)
    if (const auto name = operationNamed(kComparisonNames, part); !name.empty() && ordered && !condition)
      condition = values().binary(name, *x, *y);
  const std::string_view join = o.has("and") ? "and" : o.has("or") ? "or" : o.has("xor") ? "xor" : "";
  if (!condition) condition = symbolic_->opaque(s);
  Terms::Value inverse = values().opposite(*condition);
  if (!join.empty() && s.ins.size() > 2) {
    const auto third = source(w, s, 2, lane, Type::Pred);
    condition = third ? values().joined(join, *condition, *third) : symbolic_->opaque(s);
    inverse = third ? values().joined(join, inverse, *third) : symbolic_->opaque(s);
  }
  const auto l = static_cast<std::size_t>(lane);
  put(out[0][l], 0, *condition, Type::Pred);
  if (out.size() > 1) put(out[1][l], 0, inverse, Type::Pred);
}

bool StepTerms::select(const Warp& w, const Step& s, int lane, LaneSlots& out) {
  const Type type = heldType(symbolic_->registerSlots(w, lane, s.ins[0]), symbolic_->registerSlots(w, lane, s.ins[1]),
                             s.source->opcode.type());
  const int all = ptx::bitsOf(s.source->opcode.type()) / 8, n = ptx::bitsOf(type) / 8;
  const auto condition = source(w, s, 2, lane, Type::Pred);
  if (!condition || n == 0) return false;
  for (int at = 0; at + n <= all; at += n) {
    const auto x = source(w, s, 0, lane, type, at), y = source(w, s, 1, lane, type, at);
    if (!x || !y) return false;
    put(out, at, values().select(*condition, *x, *y), type);
  }
  return true;
}

void StepTerms::choose(const Warp& w, const Step& s, Mask undecided, Results& out) {
  // The numbers of results that are no terms.
  std::vector<Lanes> numbers(s.outs.size());
  if (s.kind == Step::Kind::Compute) {
    const Operation& op = program_.operations[static_cast<std::size_t>(s.operation)];
    std::vector<Lanes*> to;
    std::vector<const Lanes*> from;
    for (Lanes& one : numbers) to.push_back(&one);
    for (const Place p : s.ins) from.push_back(&sourceOf(program_, w, p));
    op.run({to.data(), from.data(), undecided});
  }
  eachLane(undecided, [&](int lane) {
    const auto l = static_cast<std::size_t>(lane);
    const LaneSlots guard = symbolic_->registerSlots(w, lane, s.guard);
    auto condition = symbolic_->valueOf(guard, 0, Type::Pred);
    if (condition && s.guardNegated) condition = values().opposite(*condition);
    for (std::size_t k = 0; k < out.size(); ++k) {
      if (s.outs[k] == kNoPlace || s.outs[k] < 0) continue;
      const LaneSlots before = symbolic_->registerSlots(w, lane, s.outs[k]);
      const Type type = heldType(out[k][l], before, s.source->opcode.type());
      const auto x = symbolic_->valueOf(out[k][l], numbers[k][l], type);
      const auto y = symbolic_->valueOf(before, w.file[static_cast<std::size_t>(s.outs[k])][l], type);
      if (condition && x && y && s.kind == Step::Kind::Compute && s.inverted == 0)
        put(out[k][l], 0, values().select(*condition, *x, *y), type);
      else
        symbolic_->fillOpaque(s, out[k][l], 0, kBytes);
    }
  });
}

// ---- matrices

void StepTerms::product(const Warp& w, const Step& s, Results& out) {
  const auto found = productOf(s.source->opcode);
  bool fits = found && !found->exclusive && !found->saturates && found->block == 0;
  fits = fits && typeOf(found->a.type) != Type::None && typeOf(found->b.type) != Type::None;
  if (!fits) {
    for (RegisterSlots& lanes : out)
      for (LaneSlots& one : lanes) symbolic_->fillOpaque(s, one, 0, kBytes);
    return;
  }
  Terms& terms = values().terms();
  const Terms::Value none = symbolic_->opaque(s);
  for (int g = 0; g < found->groups; ++g) {
    std::size_t first = 0;
    const auto gather = [&](const Fragment& f) {
      std::vector<Terms::Value> tile(static_cast<std::size_t>(f.rows * f.columns), none);
      const int n = f.type.perRegister();
      for (int t = 0; t < f.threads; ++t)
        for (int v = 0; v < f.values(); ++v) {
          const TileElement& at = f.at(t, v);
          const auto value = source(w, s, first + static_cast<std::size_t>(v / n), found->laneOf(g, t), typeOf(f.type),
                                    n == 1 ? 0 : v % n * f.type.bits / 8);
          tile[static_cast<std::size_t>(at.row * f.columns + at.column)] = value ? *value : none;
        }
      first += static_cast<std::size_t>(f.registers);
      return tile;
    };
    const auto a = gather(found->a), b = gather(found->b), c = gather(found->c);
    const int inner = found->a.columns, columns = found->c.columns;
    std::vector<Terms::Value> d;
    std::vector<Terms::Product> products;
    for (int i = 0; i < found->c.rows; ++i)
      for (int j = 0; j < columns; ++j) {
        products.clear();
        for (int k = 0; k < inner; ++k)
          products.emplace_back(a[static_cast<std::size_t>(i * inner + k)],
                                b[static_cast<std::size_t>(k * columns + j)]);
        d.push_back(terms.add(c[static_cast<std::size_t>(i * columns + j)], products));
      }
    const int n = found->d.type.perRegister();
    for (int t = 0; t < found->d.threads; ++t)
      for (int v = 0; v < found->d.values(); ++v) {
        const TileElement& at = found->d.at(t, v);
        put(out[static_cast<std::size_t>(v / n)][static_cast<std::size_t>(found->laneOf(g, t))],
            n == 1 ? 0 : v % n * found->d.type.bits / 8, d[static_cast<std::size_t>(at.row * columns + at.column)],
            typeOf(found->d.type));
      }
  }
}

// ---- moves

void StepTerms::pack(const Warp& w, const Step& s, Mask mask, Results& out) {
  const auto bytes = static_cast<std::size_t>(std::max(ptx::bitsOf(s.type) / 8, 1));
  const std::size_t from = bytes / s.ins.size(), to = bytes / s.outs.size();
  eachLane(mask, [&](int l) {
    std::vector<Slot> whole(bytes);
    for (std::size_t k = 0; k < s.ins.size(); ++k) {
      const LaneSlots one = symbolic_->registerSlots(w, l, s.ins[k]);
      std::copy_n(one.begin(), from, whole.begin() + static_cast<std::ptrdiff_t>(k * from));
    }
    for (std::size_t k = 0; k < s.outs.size(); ++k)
      std::copy_n(whole.begin() + static_cast<std::ptrdiff_t>(k * to), to, out[k][static_cast<std::size_t>(l)].begin());
  });
}

// The bits of 1.5 * 2^23 + w, shifted to the exponent, are 2^(w - 127) (see scalar).
bool StepTerms::shiftsToExponent(const Warp& w, const Step& s, Mask mask, Results& out) {
  if (s.source->opcode.base() != "shl" || sourceOf(program_, w, s.ins[1])[0] != 23) return false;
  bool all = true;
  eachLane(mask, [&](int l) {
    const auto value = source(w, s, 0, l, Type::F32);
    const Terms::Sum sum = value ? values().terms().sum(*value) : Terms::Sum{};
    const bool whole = sum.terms.size() == 1 && sum.products.empty() && isWhole(values().terms(), sum.terms[0].first) &&
                       std::fabs(sum.constant - kWhole) < kNearWhole;
    all = all && whole;
    if (whole)
      put(out[0][static_cast<std::size_t>(l)], 0,
          *values().unary("exp2", *values().binary("-", *value, values().constant(kWhole + 127))), Type::F32);
  });
  return all;
}

void StepTerms::moves(const Warp& w, const Step& s, Mask mask, Results& out) {
  if (shiftsToExponent(w, s, mask, out)) return;
  const std::string_view base = s.source->opcode.base();
  const Operation* const op =
      s.kind == Step::Kind::Compute ? &program_.operations[static_cast<std::size_t>(s.operation)] : nullptr;
  const std::size_t data = movedSources(s.source->opcode);
  bool movable = op != nullptr && data > 0 && s.ins.size() <= Tags::kSources;
  for (std::size_t k = 0; movable && k < s.ins.size(); ++k) {
    const bool fixed = k >= data || (k < op->sources.size() && op->sources[k] == Type::Pred);
    if (fixed && (symbolic_->symbolicLanes(w, s.ins[k]) & mask) != 0) movable = false;
  }
  if (!movable) {
    eachLane(mask, [&](int l) {
      const bool any = (op != nullptr && op->together) || symbolicSources(w, s, l) > 0;
      for (std::size_t k = 0; any && k < out.size(); ++k)
        symbolic_->fillOpaque(s, out[k][static_cast<std::size_t>(l)], 0, kBytes);
    });
    return;
  }
  // Where bits of two symbols meet, the same byte in all runs may be chance.
  const bool meets = base == "and" || base == "or" || base == "xor" || base == "lop3";
  std::vector<std::array<std::uint32_t, kLanes * kBytes>> seen(s.outs.size()), inverse(s.outs.size());
  for (int run = 0; run < 2 * Tags::kRuns; ++run) {
    std::vector<Lanes> numbers(s.ins.size()), results(s.outs.size());
    std::vector<Lanes*> to;
    std::vector<const Lanes*> from;
    for (std::size_t k = 0; k < s.ins.size(); ++k) {
      numbers[k] = sourceOf(program_, w, s.ins[k]);
      for (int l = 0; l < kLanes; ++l) {
        u64& x = numbers[k][static_cast<std::size_t>(l)];
        if ((s.inverted >> k & 1) != 0) x ^= 1;
        const LaneSlots slots = symbolic_->registerSlots(w, l, s.ins[k]);
        for (int b = 0; b < kBytes; ++b)
          if (slots[static_cast<std::size_t>(b)].term != 0)
            x = (x & ~(u64{0xff} << 8 * b)) | tags().byteOf(k, l, b, run) << 8 * b;
      }
    }
    for (const Lanes& one : numbers) from.push_back(&one);
    for (Lanes& one : results) to.push_back(&one);
    op->run({to.data(), from.data(), mask});
    for (std::size_t k = 0; k < results.size(); ++k)
      for (int l = 0; l < kLanes; ++l)
        for (int b = 0; b < kBytes; ++b)
          (run < Tags::kRuns ? seen : inverse)[k][static_cast<std::size_t>(l * kBytes + b)] |=
              static_cast<std::uint32_t>(results[k][static_cast<std::size_t>(l)] >> 8 * b & 0xff)
              << 8 * (run % Tags::kRuns);
  }
  for (std::size_t k = 0; k < s.outs.size(); ++k)
    eachLane(mask, [&](int l) {
      LaneSlots& to = out[k][static_cast<std::size_t>(l)];
      for (int b = 0; b < kBytes; ++b) {
        const std::uint32_t x = seen[k][static_cast<std::size_t>(l * kBytes + b)];
        const std::uint32_t y = inverse[k][static_cast<std::size_t>(l * kBytes + b)];
        if (x == y && Tags::isNumber(x) && (!meets || symbolicSources(w, s, l) < 2)) continue;
        const auto id = y == ~x ? tags().find(x) : std::nullopt;
        if (!id) {
          symbolic_->fillOpaque(s, to, 0, kBytes);
          return;
        }
        const auto [place, lane, byte] = std::tuple(*id / (kLanes * kBytes), *id / kBytes % kLanes, *id % kBytes);
        to[static_cast<std::size_t>(b)] = symbolic_->registerSlots(w, static_cast<int>(lane), s.ins[place])[byte];
      }
    });
}

}  // namespace tessera::kernel
