// Exchange between the lanes of a warp: PTX ISA 9.0, 9.7.9.6 (shfl), 9.7.13 (vote, match, redux, activemask, elect).
#include <fmt/format.h>

#include <algorithm>

#include "solver/kernel/lanes/floating.h"
#include "solver/kernel/lanes/make.h"

namespace tessera::kernel {

using ptx::Type;

namespace {

Operation shuffle(const ptx::Opcode& o) {
  enum class To : unsigned char { Up, Down, Xor, Index };
  const To to = o.has("up") ? To::Up : o.has("down") ? To::Down : o.has("bfly") ? To::Xor : To::Index;
  const bool sync = o.has("sync");
  Operation op;
  op.results = 2;
  op.sources.assign(sync ? 4 : 3, Type::B32);
  op.together = true;
  op.member = sync ? 3 : -1;
  const auto source = [to](int lane, u64 b, u64 c) {
    const int n = static_cast<int>(b & 31), clamp = static_cast<int>(c & 31), segment = static_cast<int>(c >> 8 & 31);
    const int most = (lane & segment) | (clamp & ~segment), least = lane & segment;
    int from = 0;
    bool inside = false;
    switch (to) {
      case To::Up:
        from = lane - n;
        inside = from >= most;
        break;
      case To::Down:
        from = lane + n;
        inside = from <= most;
        break;
      case To::Xor:
        from = lane ^ n;
        inside = from <= most;
        break;
      case To::Index:
        from = least | (n & ~segment);
        inside = from <= most;
        break;
    }
    return std::pair<int, bool>(inside ? from : lane, inside);
  };
  op.run = [source](const LaneArguments& a) {
    for (int l = 0; l < kLanes; ++l) {
      const auto [from, inside] = source(l, (*a.in[1])[l], (*a.in[2])[l]);
      (*a.out[0])[l] = (*a.in[0])[static_cast<std::size_t>(from)];
      (*a.out[1])[l] = inside ? 1 : 0;
    }
  };
  return op;
}

Operation vote(const ptx::Opcode& o) {
  Operation op;
  const bool sync = o.has("sync"), ballot = o.has("ballot"), all = o.has("all"), any = o.has("any");
  op.sources = {Type::Pred};
  if (sync) op.sources.push_back(Type::B32);
  op.together = true;
  op.member = sync ? 1 : -1;
  op.run = [=](const LaneArguments& a) {
    for (int l = 0; l < kLanes; ++l) {
      const Mask members = sync ? static_cast<Mask>((*a.in[1])[l]) & a.active : a.active;
      Mask yes = 0;
      for (int k = 0; k < kLanes; ++k)
        if ((members >> k & 1) != 0 && ((*a.in[0])[k] & 1) != 0) yes |= Mask{1} << k;
      (*a.out[0])[l] = ballot ? yes : all ? yes == members : any ? yes != 0 : yes == members || yes == 0;
    }
  };
  return op;
}

Operation match(const ptx::Opcode& o, Type t) {
  Operation op;
  const bool all = o.has("all");
  op.results = all ? 2 : 1;
  op.sources = {t, Type::B32};
  op.together = true;
  op.member = 1;
  op.run = [=](const LaneArguments& a) {
    for (int l = 0; l < kLanes; ++l) {
      const Mask members = static_cast<Mask>((*a.in[1])[l]) & a.active;
      Mask same = 0;
      for (int k = 0; k < kLanes; ++k)
        if ((members >> k & 1) != 0 && (*a.in[0])[k] == (*a.in[0])[l]) same |= Mask{1} << k;
      (*a.out[0])[l] = !all ? same : same == members ? members : 0;
      if (all) (*a.out[1])[l] = same == members;
    }
  };
  return op;
}

Operation reduction(const ptx::Opcode& o, Type t) {
  Operation op;
  op.sources = {t, Type::B32};
  op.together = true;
  op.member = 1;
  const bool real = t == Type::F32, sign = isSigned(t), nan = o.has("NaN"), abs = o.has("abs");
  const int what = o.has("add") ? 0 : o.has("min") ? 1 : o.has("max") ? 2 : o.has("and") ? 3 : o.has("or") ? 4 : 5;
  const auto two = [=](u64 x, u64 y) -> u64 {
    if (real) {
      double p = toDouble(x, t, false), q = toDouble(y, t, false);
      if (std::isnan(p) || std::isnan(q))
        return nan || (std::isnan(p) && std::isnan(q)) ? 0x7fffffffu : std::isnan(p) ? y : x;
      return fromDouble(what == 1 ? std::min(p, q) : std::max(p, q), t);
    }
    switch (what) {
      case 0:
        return (x + y) & 0xffffffffu;
      case 1:
        return (sign ? signedOf(x, 32) < signedOf(y, 32) : x < y) ? x : y;
      case 2:
        return (sign ? signedOf(x, 32) > signedOf(y, 32) : x > y) ? x : y;
      case 3:
        return x & y;
      case 4:
        return x | y;
      default:
        return x ^ y;
    }
  };
  op.run = [=](const LaneArguments& a) {
    for (int l = 0; l < kLanes; ++l) {
      if ((a.active >> l & 1) == 0) continue;
      const Mask members = static_cast<Mask>((*a.in[1])[l]) & a.active;
      bool first = true;
      u64 out = 0;
      for (int k = 0; k < kLanes; ++k) {
        if ((members >> k & 1) == 0) continue;
        const u64 x = abs ? (*a.in[0])[k] & 0x7fffffffu : (*a.in[0])[k];
        out = first ? x : two(out, x);
        first = false;
      }
      (*a.out[0])[l] = out;
    }
  };
  return op;
}

}  // namespace

Found warpOperation(const ptx::Opcode& o) {
  const std::string_view base = o.base();
  if (base == "shfl") return shuffle(o);
  if (base == "vote") return vote(o);
  if (base == "match") return match(o, o.type());
  if (base == "redux") return reduction(o, o.type());
  if (base == "activemask") {
    Operation op;
    op.run = [](const LaneArguments& a) { a.out[0]->fill(a.active); };
    return op;
  }
  if (base == "elect") {
    Operation op;
    op.results = 2;
    op.sources = {Type::B32};
    op.together = true;
    op.member = 0;
    op.run = [](const LaneArguments& a) {
      for (int l = 0; l < kLanes; ++l) {
        const auto members = static_cast<Mask>((*a.in[0])[l]) & a.active;
        const int leader = members == 0 ? 0 : std::countr_zero(members);
        (*a.out[0])[l] = static_cast<u64>(leader);
        (*a.out[1])[l] = l == leader;
      }
    };
    return op;
  }
  return std::nullopt;
}

}  // namespace tessera::kernel
