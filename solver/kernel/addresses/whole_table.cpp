#include "solver/kernel/addresses/whole_table.h"

#include <algorithm>
#include <map>

#include "core/base/work.h"
#include "solver/kernel/addresses/term_values.h"
#include "solver/kernel/lanes/make.h"

namespace tessera::kernel {

namespace {

using Op = TermNode::Op;

constexpr i64 kMostJoint = i64{1} << 13, kMostThreadPoints = i64{1} << 15, kMostBlocks = i64{1} << 16,
              kMostWork = i64{1} << 22;

// Whole numbers: a constant, and multiples of terms that only threads, or only blocks, differ in.
struct Split {
  u64 constant = 0;
  std::vector<std::pair<u64, Term>> thread, block;
  // Of the sum, as an integer.
  i128 low = 0, high = 0;
};

class Splitter {
 public:
  Splitter(const Terms& terms, TermValues& values, i64 blocks) : terms_(terms), values_(values), blocks_(blocks) {}

  // nullopt: it mixes both, or a part of it may overflow.
  std::optional<Split> of(Term t) {
    const TermNode& n = terms_[t];
    if (n.op == Op::Constant) return Split{n.value, {}, {}, i128{n.value}, i128{n.value}};
    if (support(t) != 3) {
      const auto [low, high] = rangeOf(t);
      Split out{0, {}, {}, i128{low}, i128{high}};
      (support(t) == 2 ? out.block : out.thread).emplace_back(1, t);
      return out;
    }
    if (n.op == Op::Sum) return sum(n);
    if (n.op != Op::Widen && n.op != Op::WidenSigned) return std::nullopt;
    const int bits = terms_.width(n.arguments[0]);
    std::optional<Split> inner = of(n.arguments[0]);
    if (!inner) return std::nullopt;
    const i128 all = i128{1} << bits;
    const bool fits =
        n.op == Op::Widen ? inner->low >= 0 && inner->high < all : inner->low >= -all / 2 && inner->high < all / 2;
    return fits ? inner : std::nullopt;
  }

 private:
  std::optional<Split> sum(const TermNode& n) {
    const i64 constant = signedOf(n.value, n.width);
    Split out{static_cast<u64>(constant), {}, {}, i128{constant}, i128{constant}};
    for (std::size_t k = 0; k < n.arguments.size(); ++k) {
      const auto part = of(n.arguments[k]);
      if (!part) return std::nullopt;
      const i64 factor = signedOf(n.factors[k], n.width);
      constexpr i128 kMost = i128{1} << 62;
      if (part->low < -kMost || part->high > kMost) return std::nullopt;
      const auto times = static_cast<u64>(factor);
      out.constant += times * part->constant;
      for (const auto& [f, t] : part->thread) out.thread.emplace_back(times * f, t);
      for (const auto& [f, t] : part->block) out.block.emplace_back(times * f, t);
      const i128 a = part->low * factor, b = part->high * factor;
      out.low += std::min(a, b);
      out.high += std::max(a, b);
    }
    return out;
  }

  // 1: threads of a block differ in it; 2: blocks do.
  int support(Term t) {
    if (const auto at = support_.find(t); at != support_.end()) return at->second;
    const TermNode& n = terms_[t];
    int out = n.op != Op::Variable ? 0 : n.name.starts_with("ctaid.") ? 2 : 1;
    for (const Term a : n.arguments) out |= support(a);
    return support_[t] = out;
  }

  std::pair<u64, u64> rangeOf(Term t) {
    if (const auto at = ranges_.find(t); at != ranges_.end()) return at->second;
    std::pair<u64, u64> out{~u64{0}, 0};
    const i64 blocks = support(t) == 2 ? blocks_ : 1;
    for (i64 b = 0; b < blocks; ++b) {
      values_.enter(b);
      for (const u64 v : values_.of(t)) out = {std::min(out.first, v), std::max(out.second, v)};
      spend();
    }
    return ranges_[t] = out;
  }

  const Terms& terms_;
  TermValues& values_;
  i64 blocks_;
  std::map<Term, int> support_;
  std::map<Term, std::pair<u64, u64>> ranges_;
};

// The launch and the instruction in it.
struct Executions {
  std::vector<std::int64_t> warps;  // that execute it, ascending
  i64 lanes = 0, visits = 0, blocks = 0;
  [[nodiscard]] i64 threads() const { return lanes * static_cast<i64>(warps.size()); }
};

std::optional<Executions> executionsOf(const AddressTerms::OfStep& of, const Launch& launch, const AccessLine& line) {
  if (of.visits.empty() || line.samples.empty() || !line.sameLanes) return std::nullopt;
  Executions out;
  const auto& at = line.samples.front().at;
  out.lanes = std::find_if(at.begin(), at.end(), [](i64 a) { return a < 0; }) - at.begin();
  if (out.lanes == 0 || std::any_of(at.begin() + out.lanes, at.end(), [](i64 a) { return a >= 0; }))
    return std::nullopt;
  out.visits = static_cast<i64>(of.visits.size());
  out.blocks = i64{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  i64 executions = 0;
  for (std::size_t w = 0; w < 32; ++w) {
    const std::uint32_t blocks = of.blocks[0][w];
    if (blocks != 0 && blocks != out.blocks) return std::nullopt;
    if (blocks != 0) out.warps.push_back(static_cast<i64>(w));
    for (const auto& visit : of.blocks) {
      if (visit[w] != blocks) return std::nullopt;
      executions += visit[w];
    }
  }
  if (executions != line.warps || out.blocks > kMostBlocks) return std::nullopt;
  return out;
}

class Tables {
 public:
  Tables(AddressTerms& addresses, const Launch& launch, const AddressTerms::OfStep& of, const Executions& executions)
      : of_(of), launch_(launch), runs_(executions), terms_(addresses.terms()), values_(terms_, launch) {}

  WholeTable make(const AccessLine& line) {
    bool contradicts = false;
    const auto base = baseOf(line, contradicts);
    if (!base) return {std::nullopt, contradicts};
    out_.lanes = runs_.lanes;
    out_.offset = -*base;
    const bool made = runs_.threads() * runs_.visits * runs_.blocks <= kMostJoint ? joint() : apart();
    if (!made || out_.offset < 0 || !inOneMemory() || values_.undefined()) return {};
    return {std::move(out_)};
  }

 private:
  // Of all threads of the block; one value if all have it.
  [[nodiscard]] const std::vector<u64>& addresses(std::size_t visit) { return values_.of(of_.visits[visit]); }
  [[nodiscard]] static i64 at(const std::vector<u64>& values, i64 warp, i64 lane) {
    return static_cast<i64>(values[values.size() == 1 ? 0 : static_cast<std::size_t>(warp * kLanes + lane)]);
  }

  // What the machine's addresses are above offsets in the memory; nullopt if some recorded address differs.
  std::optional<i64> baseOf(const AccessLine& line, bool& contradicts) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> visits;
    std::optional<i64> base;
    for (const AccessLine::Sample& s : line.samples) {
      const std::size_t visit = visits[{s.block, s.warp}]++;
      values_.enter(s.block);
      const std::vector<u64>& here = addresses(visit);
      for (i64 lane = 0; lane < runs_.lanes; ++lane) {
        const i64 above = at(here, s.warp, lane) - s.at[static_cast<std::size_t>(lane)];
        if (base && *base != above) {
          // Memories, and the shared memories of a cluster, are a multiple of this apart.
          contradicts = (*base - above) % (i64{1} << kRankShift) != 0 && !values_.undefined();
          return std::nullopt;
        }
        base = above;
      }
    }
    return base;
  }

  void add(std::vector<i64> values, const std::vector<std::pair<i64, const char*>>& modes) {
    const i64 lowest = *std::min_element(values.begin(), values.end());
    for (i64& v : values) v -= lowest;
    span_ += *std::max_element(values.begin(), values.end());
    out_.offset += lowest;
    AccessTable::Part part;
    part.table.values = std::move(values);
    for (const auto& [extent, name] : modes)
      if (extent > 1) {
        part.table.extents.push_back(extent);
        part.modes.emplace_back(name);
      }
    if (!part.modes.empty()) out_.parts.push_back(std::move(part));
  }

  // `of(visit)`: the values of all threads.
  template <class Values>
  std::vector<i64> threads(std::size_t from, std::size_t to, const Values& of) {
    std::vector<i64> out;
    for (std::size_t v = from; v < to; ++v) {
      const std::vector<u64>& values = of(v);
      for (const i64 w : runs_.warps)
        for (i64 lane = 0; lane < runs_.lanes; ++lane) out.push_back(at(values, w, lane));
    }
    spend(static_cast<i64>(out.size()));
    return out;
  }

  bool joint() {
    std::vector<i64> all;
    for (i64 b = 0; b < runs_.blocks; ++b) {
      values_.enter(b);
      const auto here = threads(
          0, of_.visits.size(), [&](auto v) -> const auto& { return addresses(v); });
      all.insert(all.end(), here.begin(), here.end());
    }
    add(std::move(all), {{runs_.lanes, "lane"},
                         {static_cast<i64>(runs_.warps.size()), "warp"},
                         {runs_.visits, "visit"},
                         {runs_.blocks, "block"}});
    return true;
  }

  bool apart() {
    if (runs_.threads() * runs_.visits > kMostWork) return false;
    // The part of the block, which must be that of every visit.
    Splitter splitter(terms_, values_, runs_.blocks);
    std::vector<Split> splits;
    if (runs_.blocks > 1)
      for (const Term t : of_.visits) {
        auto split = splitter.of(t);
        if (!split || (!splits.empty() && split->block != splits.front().block)) return false;
        splits.push_back(*std::move(split));
      }
    values_.enter(0);
    std::vector<u64> sums;
    const auto ofThread = [&](std::size_t v) -> const std::vector<u64>& {
      if (splits.empty()) return addresses(v);
      sums.assign(std::size_t{launch_.block[0]} * launch_.block[1] * launch_.block[2], splits[v].constant);
      for (const auto& [factor, t] : splits[v].thread) {
        const std::vector<u64>& values = values_.of(t);
        for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += factor * values[values.size() == 1 ? 0 : k];
      }
      return sums;
    };
    if (!threadParts(ofThread)) return false;
    if (splits.empty()) return true;
    std::vector<i64> blocks;
    for (i64 b = 0; b < runs_.blocks; ++b) {
      values_.enter(b);
      u64 sum = 0;
      for (const auto& [factor, t] : splits.front().block) sum += factor * values_.at(t, 0);
      blocks.push_back(static_cast<i64>(sum));
    }
    add(std::move(blocks), {{runs_.blocks, "block"}});
    return true;
  }

  template <class Values>
  bool threadParts(const Values& of) {
    const std::pair<i64, const char*> lane{runs_.lanes, "lane"}, warp{static_cast<i64>(runs_.warps.size()), "warp"},
        visit{runs_.visits, "visit"};
    if (runs_.threads() * runs_.visits <= kMostThreadPoints) {
      add(threads(0, of_.visits.size(), of), {lane, warp, visit});
      return true;
    }
    const std::vector<i64> first = threads(0, 1, of);
    std::vector<i64> moves{0};
    for (std::size_t v = 1; v < of_.visits.size(); ++v) {
      const std::vector<i64> here = threads(v, v + 1, of);
      moves.push_back(here[0] - first[0]);
      for (std::size_t k = 0; k < here.size(); ++k)
        if (here[k] - first[k] != moves.back()) return false;
    }
    add(first, {lane, warp});
    add(std::move(moves), {visit});
    return true;
  }

  // Memories are further apart than this.
  [[nodiscard]] bool inOneMemory() const { return span_ < static_cast<i64>(kBufferStride / 2); }

  const AddressTerms::OfStep& of_;
  const Launch& launch_;
  const Executions& runs_;
  Terms& terms_;
  TermValues values_;
  AccessTable out_;
  i64 span_ = 0;
};

}  // namespace

WholeTable wholeTable(AddressTerms& addresses, const Launch& launch, const AccessLine& line) {
  const AddressTerms::OfStep* of = addresses.of(line.step);
  const auto executions = of != nullptr ? executionsOf(*of, launch, line) : std::nullopt;
  if (!executions) return {};
  return Tables(addresses, launch, *of, *executions).make(line);
}

}  // namespace tessera::kernel
