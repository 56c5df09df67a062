// Folded: a large computation as at most 60 boxes that open (core/hlo/compose/fold.h), so few that they are readable on
// a screen, if that is possible.
//
//     show M as dataflow                            groups of the entry computation
//     show M as dataflow in decoder/layer_3         the parts of that group, %first..%last or a scope
//
// Laws: the boxes partition the instructions of the group, without plumbing; a box's bytes are the sums of the ranking
// (core/hlo/cost/group_traffic.h), and the most wasteful box is highlighted; equal inputs give equal figures.
#pragma once

#include <memory>
#include <string>

#include "core/hlo/cost/group_traffic.h"
#include "render/draw/hlo/hlo.h"

namespace tessera::hlo {

// The most boxes of a picture.
inline constexpr std::size_t kMostFolded = 60;

// `whole`: a computation. `lit`: an instruction of it to highlight; -1: none. `group`: a name; "": everything.
[[nodiscard]] Result<Figure> drawFolded(const Part& whole, int lit, const std::string& group,
                                        const std::shared_ptr<const Ranking>& ranking);

// "2.88 GB requested for 320 MB (9 times), in 12 kernels"; "": no kernels.
[[nodiscard]] std::string textOf(const Traffic& traffic);
// What the sums do not contain, as a sentence with a blank before it; "": nothing.
[[nodiscard]] std::string missingText(const Ranking& ranking, const Traffic& all);

}  // namespace tessera::hlo
