#include "core/analysis/inverse/inverse_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>

#include "core/analysis/swizzle/swizzle_forms.h"
#include "core/base/work.h"
#include "core/notation/convert.h"
#include "core/notation/cute/notation.h"
#include "core/notation/inverse.h"

namespace tessera {
namespace {

constexpr std::size_t kMostForms = 8;
constexpr int kMostBits = 62;

std::string placeText(const Table& table, std::size_t point) {
  const std::vector<i64> at = delinearize(static_cast<i64>(point), table.extents, LinearOrder::Colex);
  return at.size() == 1 ? std::to_string(at[0]) : fmt::format("({})", fmt::join(at, ","));
}

std::string everywhereText(const Table& table) {
  return fmt::format("equal at all {} coordinates, compared one by one", table.values.size());
}

int bitsOf(const Table& table) {
  u64 any = 0;
  for (const i64 v : table.values) any |= static_cast<u64>(v);
  return static_cast<int>(std::bit_width(any));
}

InverseAnswer layoutAnswer(const InverseQuestion& q) {
  InverseAnswer out;
  const bool swizzles = q.what == InverseQuestion::What::Swizzle;
  const TableForms found = formsOfTable(q.target, swizzles ? kMostForms : 1);
  if (found.forms.empty()) {
    out.none = noneText(q.target, found.swizzles);
    return out;
  }
  std::vector<std::string> others;
  for (const Swizzled& form : found.forms) {
    const auto layout = layoutOfForm(form);
    if (!layout) {
      if (out.none.empty()) out.none = layout.error().message;
    } else if (!out.layout) {
      out.layout = *layout;
    } else if (form.base + form.bits + std::max(0, -form.shift) <= bitsOf(q.target)) {
      others.push_back(print(*layout));
    }
  }
  if (!out.layout) return out;
  out.none.clear();
  out.notes.push_back(everywhereText(q.target));
  if (swizzles && found.forms.front().bits == 0) out.notes.push_back("no swizzle is needed");
  if (!others.empty() && found.forms.front().bits > 0)
    out.notes.push_back(fmt::format("the same function: {}", fmt::join(others, ", ")));
  return out;
}

// --- find swizzle for A ---------------------------------------------------------------------------------------------

class SwizzleOver {
 public:
  explicit SwizzleOver(const InverseQuestion& q) : in_(q.overTable->values), out_(q.target.values), q_(q) {}

  InverseAnswer run() {
    InverseAnswer answer;
    for (std::size_t n = 0; n < in_.size(); ++n) {
      if (in_[n] < 0 || out_[n] < 0) {
        answer.none = fmt::format("the offset at {} is negative, and a swizzle reads bits", placeText(q_.target, n));
        return answer;
      }
      any_ |= static_cast<u64>(in_[n]);
    }
    tryAll(answer);
    if (answer.layout) {
      answer.notes.insert(answer.notes.begin(), everywhereText(q_.target));
      return answer;
    }
    const std::string none = fmt::format("no Sw<B,M,S> maps {} to these offsets: {} swizzles are tried{}",
                                         print(*q_.over), tried_, closest());
    if (const auto linear = linearMap()) {
      answer.text = "offset bits: " + *linear;
      answer.notes = {none, everywhereText(q_.target)};
    } else {
      answer.none = none + "; no linear map of the offset's bits does, either: " + why_;
    }
    return answer;
  }

 private:
  [[nodiscard]] bool reads(int from, int bits) const {
    return ((any_ >> from) & 1) != 0 && ((any_ >> (from + bits - 1)) & 1) != 0;
  }

  void tryAll(InverseAnswer& answer) {
    const auto one = [&](int bits, int base, int shift) {
      const auto swizzle = cute::Swizzle::make(bits, base, shift);
      if (!swizzle) return;
      ++tried_;
      if (differences(*swizzle) != 0) return;
      const auto plain = plainCuteOf(*q_.over);
      const auto composed = plain ? cute::ComposedLayout::make(*swizzle, cute::IntTuple(0), *plain)
                                  : Result<cute::ComposedLayout>(plain.error());
      if (!answer.layout && composed)
        answer.layout = bits == 0 ? Layout(*plain) : Layout(*composed);
      else if (!answer.layout)
        answer.text = fmt::format("Sw<{},{},{}>", bits, base, shift);
      else
        answer.notes.push_back(fmt::format("Sw<{},{},{}> is the same on these offsets", bits, base, shift));
    };
    one(0, 0, 0);
    for (int bits = 1; bits <= static_cast<int>(std::bit_width(any_)); ++bits)
      for (int base = 0; base + 2 * bits <= kMostBits; ++base)
        for (int shift = bits; base + shift + bits <= kMostBits; ++shift) {
          if (reads(base + shift, bits)) one(bits, base, shift);
          if (reads(base, bits)) one(bits, base, -shift);
        }
  }

  // Of the whole table while the swizzle could still be an answer; of the coordinates seen otherwise.
  i64 differences(const cute::Swizzle& swizzle) {
    if (witness_ < in_.size() && swizzle(in_[witness_]) != out_[witness_]) return countSome(swizzle);
    for (std::size_t n = 0; n < in_.size(); ++n) {
      spend();
      if (swizzle(in_[n]) == out_[n]) continue;
      witness_ = n;
      return countSome(swizzle);
    }
    return 0;
  }
  i64 countSome(const cute::Swizzle& swizzle) {
    const std::size_t step = in_.size() / 256 + 1;
    i64 wrong = 0;
    for (std::size_t n = 0; n < in_.size(); n += step) {
      spend();
      wrong += swizzle(in_[n]) != out_[n] ? 1 : 0;
    }
    if (!best_ || wrong < bestWrong_) {
      best_ = swizzle;
      bestWrong_ = wrong;
    }
    return std::max<i64>(wrong, 1);
  }

  [[nodiscard]] std::string closest() const {
    if (!best_) return "";
    i64 wrong = 0;
    std::size_t first = in_.size();
    for (std::size_t n = 0; n < in_.size(); ++n) {
      if ((*best_)(in_[n]) == out_[n]) continue;
      ++wrong;
      first = std::min(first, n);
    }
    if (first == in_.size()) return "";
    return fmt::format("; the closest, {}, differs at {} of {} coordinates, first at {}: {} instead of {}",
                       print(*best_), wrong, in_.size(), placeText(q_.target, first), (*best_)(in_[first]),
                       out_[first]);
  }

  // Elimination over the pairs (in, out): the map exists iff equal combinations of inputs have equal outputs. Bits that
  // no input has are kept.
  std::optional<std::string> linearMap() {
    std::array<std::pair<u64, u64>, 64> rows{};  // by the highest bit of the input
    for (std::size_t n = 0; n < in_.size(); ++n) {
      u64 in = static_cast<u64>(in_[n]), out = static_cast<u64>(out_[n]);
      while (in != 0) {
        spend();
        auto& row = rows[static_cast<std::size_t>(std::bit_width(in)) - 1];
        if (row.first == 0) {
          row = {in, out};
          out = in = 0;
        } else {
          in ^= row.first;
          out ^= row.second;
        }
      }
      if (out == 0) continue;
      why_ = fmt::format("{} contradicts the coordinates before it", placeText(q_.target, n));
      return std::nullopt;
    }
    LinearSwizzle swizzle;
    const int bits = static_cast<int>(std::bit_width(any_));
    swizzle.matrix.rows = bits;
    for (int k = 0; k < bits; ++k) {
      auto [in, out] = rows[static_cast<std::size_t>(k)];
      if (in == 0) in = out = u64{1} << k;
      for (int j = 0; j < k; ++j)  // what the lower bits of this row give
        if ((in >> j & 1) != 0) out ^= swizzle.matrix.columns[static_cast<std::size_t>(j)];
      if (out >> bits != 0) {
        why_ = "it needs bits above the layout's";
        return std::nullopt;
      }
      swizzle.matrix.columns.push_back(out);
    }
    return print(swizzle);
  }

  const std::vector<i64>& in_;
  const std::vector<i64>& out_;
  const InverseQuestion& q_;
  u64 any_ = 0;
  i64 tried_ = 0;
  std::size_t witness_ = SIZE_MAX;
  std::optional<cute::Swizzle> best_;
  i64 bestWrong_ = 0;
  std::string why_;
};

// --- find permutation -----------------------------------------------------------------------------------------------

std::string listText(const std::vector<i64>& values) {
  constexpr std::size_t kMost = 256;
  const bool all = values.size() <= kMost;
  const std::vector<i64> shown(values.begin(), all ? values.end() : values.begin() + kMost);
  return fmt::format("[{}{}]", fmt::join(shown, ", "), all ? "" : fmt::format(", ... {} more", values.size() - kMost));
}

InverseAnswer permutationAnswer(const InverseQuestion& q) {
  InverseAnswer out;
  const std::size_t count = q.target.values.size();
  const std::string of = q.over ? print(*q.over) : fmt::format("the numbers below {}", count);
  std::unordered_map<i64, std::size_t> placeOf;
  for (std::size_t n = 0; n < count; ++n) {
    spend();
    const i64 value = q.overTable ? q.overTable->values[n] : static_cast<i64>(n);
    const auto [known, isNew] = placeOf.emplace(value, n);
    if (isNew) continue;
    out.none = fmt::format("{} gives {} at {} and at {}, so the coordinates of the table are not determined", of, value,
                           placeText(*q.overTable, known->second), placeText(*q.overTable, n));
    return out;
  }
  Table p{q.target.extents, {}};
  std::vector<std::size_t> usedBy(count, SIZE_MAX);
  for (std::size_t n = 0; n < count; ++n) {
    const auto place = placeOf.find(q.target.values[n]);
    if (place == placeOf.end()) {
      out.none = fmt::format("no permutation exists: {} at {} is not a value of {}", q.target.values[n],
                             placeText(q.target, n), of);
      return out;
    }
    std::size_t& user = usedBy[place->second];
    if (user != SIZE_MAX) {
      out.none = fmt::format("no permutation exists: {} and {} both give {}", placeText(q.target, user),
                             placeText(q.target, n), q.target.values[n]);
      return out;
    }
    user = n;
    p.values.push_back(static_cast<i64>(place->second));
  }
  const TableForms forms = formsOfTable(p);
  if (!forms.forms.empty())
    if (auto layout = layoutOfForm(forms.forms.front())) out.layout = *std::move(layout);
  if (out.layout && count <= 64) out.notes.push_back("as a list: " + listText(p.values));
  if (!out.layout) {
    out.text = listText(p.values);
    out.notes.push_back("the permutation is no Sw<B,M,S> o offset o shape:stride");
  }
  out.notes.push_back(
      q.over ? fmt::format("{} at this index of its coordinates, the first mode fastest, gives the table", of)
             : "every number below the size occurs once");
  return out;
}

}  // namespace

InverseAnswer answerOf(const InverseQuestion& q) {
  if (q.what == InverseQuestion::What::Permutation) return permutationAnswer(q);
  if (q.over) return SwizzleOver(q).run();
  return layoutAnswer(q);
}

}  // namespace tessera
