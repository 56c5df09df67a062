#include "solver/kernel/machine/arithmetic.h"

#include <algorithm>

namespace tessera::kernel {

using ptx::Space;

void Arithmetic::put(Warp& w, Place p, const Lanes& value, Mask mask) const {
  if (p == kNoPlace) return;
  Lanes& to = w.lanes(p);
  if (mask == ~Mask{0}) {
    to = value;
    return;
  }
  for (int l = 0; l < kLanes; ++l) to[l] = (mask >> l & 1) != 0 ? value[l] : to[l];
}

Arithmetic::Way Arithmetic::wayOf(const Step& s, const Operation& op) {
  Way& way = ways_[static_cast<std::size_t>(&s - program_.steps.data())];
  if (way != Way::Unknown) return way;
  if (!op.bound.empty()) bounds_.try_emplace(s.source->opcode.text, op.bound);
  way = Way::Direct;
  for (std::size_t k = 0; k < s.outs.size(); ++k) {
    const auto is = [&](Place p) { return p == s.outs[k]; };
    const bool twice = std::any_of(s.outs.begin(), s.outs.begin() + static_cast<std::ptrdiff_t>(k), is);
    const bool source = std::any_of(s.ins.begin(), s.ins.end(), is) && !op.inPlace;
    if (twice || source || s.outs[k] < 0) way = Way::Scratch;
  }
  return way;
}

std::string Arithmetic::compute(Warp& w, const Step& s, Mask mask) {
  const Operation& op = program_.operations[static_cast<std::size_t>(s.operation)];
  const std::size_t outs = s.outs.size(), ins = s.ins.size();
  if (scratch_.size() < outs + ins) scratch_.resize(outs + ins);
  constexpr std::size_t kMost = 64;  // registers of one operation; mma.m16n8k256 has 10 sources
  std::array<Lanes*, kMost> out;
  std::array<const Lanes*, kMost> from;
  if (outs > kMost || ins > kMost) return s.source->opcode.text + " has too many operands";
  const bool direct = wayOf(s, op) == Way::Direct && mask == ~Mask{0};
  for (std::size_t k = 0; k < outs; ++k) out[k] = direct && s.outs[k] != kNoPlace ? &w.lanes(s.outs[k]) : &scratch_[k];
  for (std::size_t k = 0; k < ins; ++k) {
    from[k] = &in(w, s.ins[k]);
    if ((s.inverted >> k & 1) == 0 || k >= 32) continue;
    Lanes& inverse = scratch_[outs + k];
    for (int l = 0; l < kLanes; ++l) inverse[l] = (*from[k])[l] ^ 1;
    from[k] = &inverse;
  }
  const LaneArguments arguments{out.data(), from.data(), mask};
  if (op.fault)
    if (const std::string fault = op.fault(arguments); !fault.empty())
      findings_.report(Verdict::Divergence, w.at, w.firstThread + static_cast<std::uint32_t>(__builtin_ctz(mask)),
                       fault);
  op.run(arguments);
  for (std::size_t k = 0; k < outs && !direct; ++k) put(w, s.outs[k], scratch_[k], mask);
  return {};
}

void Arithmetic::pack(Warp& w, const Step& s, Mask mask) const {
  // Pieces of equal width, lowest first.
  const int bits = ptx::bitsOf(s.type);
  const int from = bits / static_cast<int>(s.ins.size()), to = bits / static_cast<int>(s.outs.size());
  const auto keep = [](int n) { return n >= 64 ? ~u64{0} : (u64{1} << n) - 1; };
  std::array<Lanes, 16> results;  // of at least 8 bits
  for (int l = 0; l < kLanes; ++l) {
    std::array<u64, 2> whole{};
    for (std::size_t k = 0; k < s.ins.size(); ++k) {
      const int at = static_cast<int>(k) * from;
      whole[static_cast<std::size_t>(at / 64)] |= (in(w, s.ins[k])[l] & keep(from)) << (at % 64);
    }
    for (std::size_t k = 0; k < s.outs.size(); ++k) {
      const int at = static_cast<int>(k) * to;
      results[k][l] = whole[static_cast<std::size_t>(at / 64)] >> (at % 64) & keep(to);
    }
  }
  for (std::size_t k = 0; k < s.outs.size(); ++k) put(w, s.outs[k], results[k], mask);
}

void Arithmetic::convert(Warp& w, const Step& s, Mask mask) const {
  const u64 window = s.space == Space::Shared  ? kSharedWindow
                     : s.space == Space::Local ? kLocalWindow
                     : s.space == Space::Param ? kParamWindow
                                               : 0;
  const Lanes& a = in(w, s.ins[0]);
  Lanes result{};
  for (int l = 0; l < kLanes; ++l) {
    if (s.source->opcode.base() == "isspacep") {
      const bool inWindow = window != 0 && a[l] >> 32 == window >> 32;
      result[l] = window != 0 ? inWindow : a[l] >= kGlobals && s.space == Space::Global;
    } else if (window == 0) {
      result[l] = a[l];
    } else if (s.isSigned) {  // cvta.to
      result[l] = a[l] >> 32 == window >> 32 ? a[l] & 0xffffffffu : a[l];
    } else {
      result[l] = (a[l] & 0xffffffffu) | window;
    }
  }
  put(w, s.outs[0], result, mask);
}

}  // namespace tessera::kernel
