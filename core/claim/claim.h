// Claim: a question about maps, as data; Verdict: its honest answer, as data.
//
// The worksheet makes Claims, solver/prove answers them, render draws Verdicts; none of the three knows the others.
//
//     prove injective((4,8):(8,1))      Claim{injective, {map}}   -> Verdict{proved, "strided", 0.01 ms}
//     prove injective((4,2):(1,2))      -> Verdict{refuted, ..., Counterexample{(2,0) and (0,1) both give 2}}
//
// Law: `refuted` always carries a counterexample that was replayed through the evaluator (Map::at); `unknown` always
// carries the reason; `proved` names the method that spoke. Unknown is never a pass.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/access.h"
#include "core/base/types.h"
#include "core/map/map.h"

namespace tessera {

enum class ClaimKind : unsigned char {
  Injective,   // f(x) = f(y) => x = y, over Index x Fan points that are real
  Surjective,  // every place of the codomain (the axes' extents) is hit
  Bijective,   // both
  Equal,       // f and g agree as set-valued functions on every coordinate (see Claim::maps)
  Roundtrip,   // g(f(x)) == x; maps = {f, g}; or {f}, where g is f's computed inverse and f(g(p)) == p on the image
  InBounds,    // every axis value of every real point lies in [0, extent)
  // About a tile of memory (maps[0]: its first rowDigits digits are the row) and the accesses that walk over it.
  ConflictFree,  // every access, at every position, needs its ideal wavefronts and no more
  Coalesced,     // every access touches no more 32-byte sectors than its bytes fill
  Vectorizes,    // every aligned group of `bytes` along the contiguous dimension is contiguous and aligned
  Aligned,       // every row (every run along the contiguous dimension) begins at a multiple of `bytes`
};

enum class Method : unsigned char { Auto, Simplify, Strided, F2, Exhaustive, Z3 };

// What two parts of modules read of one operand: on each side some maps, which are it together.
struct MapUnion {
  std::string name;  // of the operand: "0 (%x)"
  std::vector<Map> f, g;
};

struct Claim {
  ClaimKind kind = ClaimKind::Injective;
  // Equal: {f, g}. The same Index extents, or as many Index digits and guards or a lo on either side: coordinate by
  // coordinate, where a point outside a map's own box has no image there. Otherwise both are read through their linear
  // index, in `order`.
  std::vector<Map> maps;
  Method method = Method::Auto;
  std::string text;                       // as typed: "injective(S)"
  std::optional<AccessSpec> access = {};  // ConflictFree, Coalesced
  int elementBits = 0;                    // the four about memory
  i64 bytes = 0;                          // Vectorizes, Aligned
  int rowDigits = 0;
  LinearOrder order = LinearOrder::Colex;  // Equal: how different Index extents are read; Lex: the last digit fastest
  std::string reading = {};  // what the maps leave out, how two were brought together; the verdict says it
  // Not empty: what is missing for an answer (an element type). There are no maps then, and the verdict is unknown.
  std::string undecided = {};
  // How a coordinate of each map is written, one `i` an Index digit: "((i,i),i)" for the shape ((2,2),4). Empty or of
  // another count: (i,i,i).
  std::vector<std::string> profiles = {};
  // Equal and InBounds of parts of modules, instead of `maps`: the operands. InBounds is about each f.
  std::vector<MapUnion> unions = {};
};

// ((0,1),0) for the values 0 1 0 and the profile ((i,i),i); (0,1,0), or a single 0, where there is none.
[[nodiscard]] std::string coordinateText(const std::vector<i64>& values, std::string_view profile);

enum class Truth : unsigned char { Proved, Refuted, Unknown };

// One named coordinate or value of a counterexample: {"x", {2, 0}}, {"f(x)", {2}}.
struct Witness {
  std::string name;
  std::vector<i64> values;
  bool operator==(const Witness&) const = default;
};

struct Counterexample {
  std::vector<Witness> witnesses;
  std::string text;  // one sentence: "(2,0) and (0,1) both give 2"
  // Index digits (one value per Index digit of maps[0], from 0) that every picture lights. Texts and witnesses show
  // coordinates, lo added.
  std::vector<std::vector<i64>> points;
};

struct Verdict {
  Truth truth = Truth::Unknown;
  std::string claim;   // as typed
  std::string method;  // "simplify", "strided", "F2 rank", "exhaustive", "Z3 QF_LIA", "Z3 QF_BV" ...
  double milliseconds = 0;
  std::string detail;  // proved: why, in one clause ("sorted strides nest"); unknown: the reason
  std::optional<Counterexample> counterexample;
  // For `find`/lists later; and what a solver saw:
  // {file name suggestion, SMT-LIB 2 text with its set-logic and status}.
  std::vector<std::pair<std::string, std::string>> smt2;
};

[[nodiscard]] const char* name(Truth truth);     // "proved" | "refuted" | "unknown"
[[nodiscard]] const char* name(ClaimKind kind);  // "injective" ... "in_bounds"
[[nodiscard]] const char* name(Method method);   // "auto" | "simplify" | "strided" | "f2" | "exhaustive" | "z3"

}  // namespace tessera
