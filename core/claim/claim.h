// Claim: a question about maps, as data. Verdict: its answer, as data.
//
// A claim is one of eleven kinds with the data of that kind; all kinds share a method, a text, a reading and profiles.
// The worksheet creates Claims, solver/prove answers them, render draws Verdicts; the three are independent.
//
//     prove injective((4,8):(8,1))      Claim{Injective{map}}     -> Verdict{proved, "strided", 0.01 ms}
//     prove injective((4,2):(1,2))      -> Verdict{refuted, ..., Counterexample{(2,0) and (0,1) both give 2}}
//
// Law: `refuted` always has a counterexample that was replayed through the evaluator (Map::at); `unknown` always has a
// reason; `proved` names the method. Unknown is never a pass.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/analysis/access/access.h"
#include "core/analysis/access/thread_access.h"
#include "core/base/types.h"
#include "core/layout/layout.h"
#include "core/map/map.h"

namespace tessera {

enum class Method : unsigned char { Auto, Simplify, Strided, F2, Exhaustive, Z3 };

// The reads of one operand by two parts of modules: each side is a union of maps.
struct MapUnion {
  std::string name;  // of the operand: "0 (%x)"
  std::vector<Map> f, g;
};

// The kinds of claims, each with its data.
namespace claims {

struct Injective {  // map(x) = map(y) => x = y, over Index x Fan points that are real
  Map map;
};
struct Surjective {  // every place of the codomain (the axes' extents) is hit
  Map map;
};
struct Bijective {  // injective and surjective
  Map map;
};
// f and g are equal as set-valued functions at every coordinate. maps = {f, g}. Compared coordinate by coordinate if
// the Index extents are equal, or if the numbers of Index digits are equal and either side has guards or a lo; a point
// outside a map's own box has no image there. Otherwise both are read through their linear index, in `order`.
struct Equal {
  std::vector<Map> maps;
  LinearOrder order = LinearOrder::Colex;  // Lex: last digit fastest
};
struct Roundtrip {  // g(f(x)) == x; maps = {f, g}; or {f}: g is f's computed inverse, and f(g(p)) == p on the image
  std::vector<Map> maps;
};
struct InBounds {  // every axis value of every real point is in [0, extent)
  Map map;
};

// A tile of memory: the first rowDigits digits of the map form the row. The accesses cover it.
struct Memory {
  Map map;
  int rowDigits = 0;
  int elementBits = 0;
};
struct ConflictFree : Memory {  // every access, at every position, takes exactly its ideal wavefronts
  AccessSpec access;
};
struct Coalesced : Memory {  // every access touches only as many 32-byte sectors as its bytes fill
  AccessSpec access;
};
struct Vectorizes : Memory {  // every aligned group of `bytes` along the contiguous dimension is contiguous and aligned
  i64 bytes = 0;
};
struct Aligned : Memory {  // every row (every run along the contiguous dimension) begins at a multiple of `bytes`
  i64 bytes = 0;
};

// Accesses that a kernel's code writes, thread by thread. conflict_free(S, f32) and coalesced(S, f32) are about one;
// race_free(STORE, LOAD) about several in one phase.
struct ThreadQuestion {
  enum class What : unsigned char { ConflictFree, Coalesced, RaceFree, Computes };
  What what = What::ConflictFree;
  std::vector<ThreadAccess> accesses;
  std::vector<bool> stores;          // RaceFree: one per access
  std::vector<std::string> groups;   // RaceFree: only accesses of one group meet; empty: all of them
  std::vector<Map> maps;             // of the accesses
  std::string source;                // the statement that the access comes from: "S(t) = t * 32 over (32)"
  std::optional<Layout> code;        // the block of index code that it comes from
  std::vector<ThreadAccess> others;  // the block's other accesses to the same shared array
  // RaceFree of a kernel, Computes: what its run found, and whether the claim holds (nullopt: not decided); "": the
  // accesses decide.
  std::string ran;
  std::optional<bool> ranHolds;
};
struct Threads {
  std::shared_ptr<const ThreadQuestion> question;
};

using Any = std::variant<Injective, Surjective, Bijective, Equal, Roundtrip, InBounds, ConflictFree, Coalesced,
                         Vectorizes, Aligned, Threads>;

}  // namespace claims

// The index of each in claims::Any.
enum class ClaimKind : unsigned char {
  Injective,
  Surjective,
  Bijective,
  Equal,
  Roundtrip,
  InBounds,
  ConflictFree,
  Coalesced,
  Vectorizes,
  Aligned,
  Threads,
};

struct Claim {
  claims::Any says;
  Method method = Method::Auto;
  std::string text = {};     // as typed: "injective(S)"
  std::string reading = {};  // what the maps omit, or how two layouts were aligned; printed in the verdict
  // If not empty, the maps have only a part of the points: "K.line 57: 256 of 400 executions were recorded". Then only
  // a counterexample to "for all points" decides.
  std::string partial = {};
  // If not empty, the missing information (an element type). The claim then has no map, and its verdict is unknown.
  std::string undecided = {};
  // The form of a coordinate of each map, one `i` per Index digit: "((i,i),i)" for the shape ((2,2),4). Empty, or with
  // a different count: (i,i,i).
  std::vector<std::string> profiles = {};
  // Equal and InBounds about parts of modules: the operands, instead of maps. InBounds applies to each f.
  std::vector<MapUnion> unions = {};

  [[nodiscard]] ClaimKind kind() const { return static_cast<ClaimKind>(says.index()); }
  // The maps of any kind, in order; none if it is undecided or about unions.
  [[nodiscard]] std::span<const Map> maps() const;
  [[nodiscard]] const claims::Memory* memory() const;  // nullptr: not about memory, or undecided
};

// A claim about maps only: the kinds from Injective to InBounds. Without maps the claim is undecided.
[[nodiscard]] claims::Any claimAbout(ClaimKind kind, std::vector<Map> maps);

// ((0,1),0) for the values 0 1 0 and the profile ((i,i),i); (0,1,0), or a single 0, without a profile.
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
  // Index digits (one value per Index digit of maps[0], from 0) that every picture highlights. Texts and witnesses show
  // coordinates, with lo added.
  std::vector<std::vector<i64>> points;
};

struct Verdict {
  Truth truth = Truth::Unknown;
  std::string claim;   // as typed
  std::string method;  // "simplify", "strided", "F2 rank", "exhaustive", "Z3 QF_LIA", "Z3 QF_BV" ...
  double milliseconds = 0;
  std::string detail;  // proved: why, in one clause ("sorted strides nest"); unknown: the reason
  std::optional<Counterexample> counterexample;
  // The solver's input: {file name suggestion, SMT-LIB 2 text with its set-logic and status}.
  std::vector<std::pair<std::string, std::string>> smt2;
};

[[nodiscard]] const char* name(Truth truth);     // "proved" | "refuted" | "unknown"
[[nodiscard]] const char* name(ClaimKind kind);  // "injective" ... "in_bounds"
[[nodiscard]] const char* name(Method method);   // "auto" | "simplify" | "strided" | "f2" | "exhaustive" | "z3"

// Places: the locations of a claim's layouts and counterexample, in the coordinates of pictures.
//
//     prove equal(((2,2),4):((1,8),2), (4,4):(1,4))        arguments "((2,2),4):((1,8),2)" and "(4,4):(1,4)"
//     maps: digits 2 2 4 and 4 4; modes (4,4) and (4,4); refuted at digits (0,1,0): index 2 in both
//
// A counterexample uses the maps' digits, a picture the layout's top-level modes: ((2,2),4) has 3 digits and 2 modes.
// Inside a mode digits are colex, so the colex index is the same number for both.
//
// The arguments, as typed: {"S", "ldmatrix.x4", "fp16"}.
[[nodiscard]] std::vector<std::string> argumentsOf(const Claim& claim);
// The extents of map k's top-level modes, as its profile groups its Index digits; without one, every digit is a mode.
[[nodiscard]] std::vector<i64> modesOf(const Claim& claim, std::size_t map);
// The counterexample's points in map k: one colex index over its Index digits per point. Maps of an `equal` with
// different shapes are read through their linear index, like the claim.
[[nodiscard]] std::vector<i64> indicesOf(const Claim& claim, const Counterexample& why, std::size_t map);

}  // namespace tessera
