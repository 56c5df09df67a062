// Replay: re-evaluates a refuting Answer through Map::at on the claim's own maps and puts it into words. nullopt if it
// does not replay: a bug in a rung, and never shown as a refutation. A profile controls how coordinates of a map are
// written (Claim::profiles).
#pragma once

#include <optional>

#include "core/claim/claim.h"
#include "solver/prove/obligation.h"
#include "solver/prove/structure/reduce.h"

namespace tessera::prover {

// Profiles of the claim's first and second map.
struct Profiles {
  std::string f, g;
};

// "for M=3, N=4: ", and the same values as witnesses.
[[nodiscard]] std::string forParams(const std::vector<Param>& params, const std::vector<i64>& values);
void addParams(Counterexample& c, const std::vector<Param>& params, const std::vector<i64>& values);

[[nodiscard]] std::optional<Counterexample> replayPairs(const Map& map, const Answer& answer,
                                                        const std::string& profile);
// Fewer coordinates than places: some place is missed, without saying which.
[[nodiscard]] std::optional<Counterexample> replayCount(const Map& map);
// `lowest`: origin of each axis in the message; empty: 0.
[[nodiscard]] std::optional<Counterexample> replayHole(const Map& map, const Answer& answer,
                                                       const std::vector<i64>& lowest = {});
[[nodiscard]] std::optional<Counterexample> replayBounds(const Map& map, const Answer& answer,
                                                         const std::string& profile);
// `at`: one value per common Index digit.
[[nodiscard]] std::optional<Counterexample> replayEqual(const Map& f, const Map& g, const Aligned& a,
                                                        const Answer& answer, const Profiles& profiles);
[[nodiscard]] std::optional<Counterexample> replayRoundtrip(const Map& f, const Map& g, const Roundtrip& r,
                                                            const Answer& answer, const Profiles& profiles);
// Domains of different sizes: the first colex index outside the smaller one.
[[nodiscard]] Counterexample sizesDiffer(const Map& f, const Map& g, const SizesDiffer& sizes, LinearOrder order,
                                         const Profiles& profiles);
[[nodiscard]] std::optional<Counterexample> axesDiffer(const Map& f, const Map& g, const Profiles& profiles);

}  // namespace tessera::prover
