#include "core/expr/compile.h"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>

#include "core/base/arith.h"

namespace tessera {

Program Program::compile(const Expr& root) {
  Program program;
  std::unordered_map<Expr, int> at;
  std::vector<std::pair<Expr, bool>> stack{{root, false}};
  while (!stack.empty()) {
    auto [e, expanded] = std::move(stack.back());
    stack.pop_back();
    if (at.count(e) != 0) continue;
    const bool leaf = e.op() == Op::Constant || e.op() == Op::Digit || e.op() == Op::Param;
    if (!leaf && !expanded) {
      stack.emplace_back(e, true);
      stack.emplace_back(e.rhs(), false);
      stack.emplace_back(e.lhs(), false);
      continue;
    }
    Step s;
    if (e.op() == Op::Constant) s = {Code::Constant, 0, 0, e.value()};
    if (e.op() == Op::Digit) s = {Code::Digit, e.index(), 0, 0};
    if (e.op() == Op::Param) s = {Code::Param, e.index(), 0, 0};
    if (!leaf) {
      const int a = at.at(e.lhs()), b = at.at(e.rhs());
      const bool constant = e.rhs().isConstant();
      const i64 c = constant ? e.rhs().value() : 0;
      const bool power = constant && isPowerOfTwo(c);
      switch (e.op()) {
        case Op::Add:
          s = {constant ? Code::AddC : Code::Add, a, b, c};
          break;
        case Op::Mul:
          s = {constant ? Code::MulC : Code::Mul, a, b, c};
          break;
        case Op::Xor:
          s = {constant ? Code::XorC : Code::Xor, a, b, c};
          break;
        // An arithmetic shift is a floor division and a mask is a floor modulus, for negative values too.
        case Op::FloorDiv:
          s = power ? Step{Code::ShiftRight, a, b, std::countr_zero(static_cast<u64>(c))}
                    : Step{Code::FloorDiv, a, b, c};
          break;
        case Op::Mod:
          s = power ? Step{Code::Mask, a, b, c - 1} : Step{Code::Mod, a, b, c};
          break;
        default:
          break;
      }
    }
    at.emplace(e, static_cast<int>(program.steps_.size()));
    program.steps_.push_back(s);
  }
  return program;
}

i64 Program::run(std::span<const i64> digits, std::span<const i64> params) const {
  std::array<i64, 64> small{};
  std::vector<i64> large;
  i64* r = small.data();
  if (steps_.size() > 64) {
    large.resize(steps_.size());
    r = large.data();
  }
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    const Step& s = steps_[k];
    switch (s.code) {
      case Code::Constant:
        r[k] = s.constant;
        break;
      case Code::Digit:
        r[k] = digits[static_cast<std::size_t>(s.a)];
        break;
      case Code::Param:
        r[k] = params[static_cast<std::size_t>(s.a)];
        break;
      case Code::Add:
        r[k] = r[s.a] + r[s.b];
        break;
      case Code::Mul:
        r[k] = r[s.a] * r[s.b];
        break;
      case Code::FloorDiv:
        r[k] = floorDiv(r[s.a], r[s.b]);
        break;
      case Code::Mod:
        r[k] = floorMod(r[s.a], r[s.b]);
        break;
      case Code::Xor:
        r[k] = r[s.a] ^ r[s.b];
        break;
      case Code::AddC:
        r[k] = r[s.a] + s.constant;
        break;
      case Code::MulC:
        r[k] = r[s.a] * s.constant;
        break;
      case Code::XorC:
        r[k] = r[s.a] ^ s.constant;
        break;
      case Code::ShiftRight:
        r[k] = r[s.a] >> s.constant;
        break;
      case Code::Mask:
        r[k] = r[s.a] & s.constant;
        break;
    }
  }
  return r[steps_.size() - 1];
}

void Program::runBlock(std::span<const i64* const> digits, std::span<const i64> params, std::size_t count, i64* out,
                       std::vector<i64>& scratch) const {
  scratch.resize(steps_.size() * kBlock);
  std::vector<const i64*> at(steps_.size());
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    const Step& s = steps_[k];
    i64* __restrict to = k + 1 == steps_.size() ? out : scratch.data() + k * kBlock;
    const i64* a = s.code >= Code::Add ? at[static_cast<std::size_t>(s.a)] : nullptr;
    const i64* b = s.code >= Code::Add && s.code <= Code::Xor ? at[static_cast<std::size_t>(s.b)] : nullptr;
    const i64 c = s.constant;
    at[k] = to;
    switch (s.code) {
      case Code::Constant:
        std::fill_n(to, count, c);
        break;
      case Code::Param:
        std::fill_n(to, count, params[static_cast<std::size_t>(s.a)]);
        break;
      case Code::Digit: {
        const i64* from = digits[static_cast<std::size_t>(s.a)];
        if (k + 1 == steps_.size()) {
          std::copy_n(from, count, to);
        } else {
          at[k] = from;
        }
        break;
      }
      case Code::Add:
        for (std::size_t i = 0; i < count; ++i) to[i] = a[i] + b[i];
        break;
      case Code::Mul:
        for (std::size_t i = 0; i < count; ++i) to[i] = a[i] * b[i];
        break;
      case Code::Xor:
        for (std::size_t i = 0; i < count; ++i) to[i] = a[i] ^ b[i];
        break;
      case Code::FloorDiv:
        for (std::size_t i = 0; i < count; ++i) to[i] = floorDiv(a[i], b[i]);
        break;
      case Code::Mod:
        for (std::size_t i = 0; i < count; ++i) to[i] = floorMod(a[i], b[i]);
        break;
      case Code::AddC:
        for (std::size_t i = 0; i < count; ++i) to[i] = a[i] + c;
        break;
      case Code::MulC:
        for (std::size_t i = 0; i < count; ++i) to[i] = a[i] * c;
        break;
      case Code::XorC:
        for (std::size_t i = 0; i < count; ++i) to[i] = a[i] ^ c;
        break;
      case Code::ShiftRight:
        for (std::size_t i = 0; i < count; ++i) to[i] = a[i] >> c;
        break;
      case Code::Mask:
        for (std::size_t i = 0; i < count; ++i) to[i] = a[i] & c;
        break;
    }
  }
}

}  // namespace tessera
