// Ages: whether a value of a run on terms depends on inputs of the steps before a cut, of those after it, or of both.
//
//     %A[i,k] * %B[k,j], k < 64, cut at k = 64      Early
//     %A[i,k] * %B[k,j], k >= 64                    Late
//     both                                          Mixed
//     what the loop carries over the cut, if it is opaque, and tensors that do not move      Neither
//
// Law: if of(v) is not Early and not Mixed, v is a function of opaque values, of late inputs and of tensors that do not
// move.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/base/arith.h"
#include "solver/emulate/terms.h"

namespace tessera::graphene {

enum class Age : unsigned char { Neither, Early, Late, Mixed };
[[nodiscard]] constexpr Age both(Age a, Age b) {
  return a == b || b == Age::Neither ? a : a == Age::Neither ? b : Age::Mixed;
}
using AgeOfInput = std::function<Age(const Terms::Node&)>;

// Values whose parts are not looked at, also as operands, where a sum is replaced by its representative. A sum is over
// one if its lists of factors begin with those of the other.
struct Opaque {
  std::unordered_set<Terms::Value> values;
  using Key = std::array<std::uint32_t, 3>;  // base and lists; kAnyBase: 0, another may be added
  struct Hash {
    std::size_t operator()(const Key& k) const { return splitMix(splitMix(u64{k[1]} << 32 | k[2]) ^ k[0]); }
  };
  std::unordered_map<Key, Terms::Value, Hash> sums;
  std::vector<bool> lefts;  // by list: the left one of some sum; others are not searched
  static constexpr Terms::Value kAnyBase = ~Terms::Value{0};
  void insert(const Terms& terms, Terms::Value v);
};

// The parts of a sum of lists that is over an opaque one: the rows of factors after it.
struct SumParts {
  SumParts(const Terms& terms, const Terms::Node& sum, const Opaque& over);
  std::vector<Terms::Value> values;
  std::vector<std::pair<Dots::Row, Dots::Row>> rows;
  Terms::Value over = Terms::absent();  // the opaque sum; absent: none
};

class Ages {
 public:
  // Later changes of `over` are not seen.
  Ages(const Terms& terms, AgeOfInput input, const Opaque& over)
      : terms_(terms), input_(std::move(input)), over_(over) {
    for (const Terms::Value v : over.values) values_.set(v, Age::Neither);
  }
  // Consumes budget.
  [[nodiscard]] Age of(Terms::Value v);

 private:
  const Terms& terms_;
  AgeOfInput input_;
  const Opaque& over_;
  class Table {  // by value or row
   public:
    [[nodiscard]] std::optional<Age> at(std::uint32_t key) const {
      return key < ages_.size() && ages_[key] != 0 ? std::optional(static_cast<Age>(ages_[key] - 1)) : std::nullopt;
    }
    void set(std::uint32_t key, Age age) {
      if (key >= ages_.size()) ages_.resize(std::size_t{key} + key / 2 + 64, 0);
      ages_[key] = static_cast<std::uint8_t>(static_cast<int>(age) + 1);
    }

   private:
    std::vector<std::uint8_t> ages_;  // + 1; 0: none
  };
  Table values_, rows_;
};

}  // namespace tessera::graphene
