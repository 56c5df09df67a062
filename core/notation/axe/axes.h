// The axes that hardware has: names, kinds, bounds, scopes, and how thread axes fuse (facts of TVM's tirx layouts; the
// paper's and the source article's spellings are rows of their own).
//
//     axis        kind     carries           bound   fuses
//     laneid      thread   thread of a warp     32   (thread, cta): 1@tx
//     warpid      thread   warp of a cta         -   (thread, cta): 32@tx
//     m, P, F ..  memory                              -
//
// A scope is where a piece lives: thread < warp < warpgroup < cta < cluster < kernel. A thread axis carries one scope
// into a larger one; the axes of a layout must form one chain, thread -> .. -> outermost: warpid + laneid is
// (thread, cta); wgid + laneid is disconnected, because nothing says which warp of the warpgroup.
// An axis that is not in the table is accepted (its kind is Other) and may carry a note when it looks like a typo.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/notation/axe/layout.h"

namespace tessera::axe {

enum class AxisKind : unsigned char { Thread, Memory, Device, Other };

struct AxisInfo {
  std::string_view name;
  AxisKind kind = AxisKind::Other;
  std::optional<i64> bound;  // values lie in [0, bound)
  std::string_view inner;    // scope carried, Thread only: "thread"
  std::string_view outer;    // into this one: "warp"
  std::string_view what;     // "lane of a warp"
};
[[nodiscard]] const std::vector<AxisInfo>& axisTable();
[[nodiscard]] const AxisInfo* findAxis(std::string_view name);
[[nodiscard]] AxisKind axisKind(std::string_view name);
[[nodiscard]] const char* name(AxisKind kind);
// One note for each axis of the layout that is not in the table but close to a name that is ("lanid").
[[nodiscard]] std::vector<Diag> axisNotes(const Layout& layout);

// (subscope, scope) of the layout's thread axes: (thread, warp). nullopt when it has none. A Diag when two axes carry
// the same scope to different places, or when the chain has a hole.
[[nodiscard]] Result<std::optional<std::pair<std::string, std::string>>> scopeOf(const Layout& layout);

// Thread axes replaced by one: inside (thread, cta) 4@laneid is 4@tx and 1@warpid is 32@tx; inside (thread, warpgroup)
// they become tid_in_wg; then canonical. Offsets that meet on the new axis add (TVM overwrites: 5@warpid + 3@laneid is
// 163@tx). A layout without thread axes is returned canonical.
[[nodiscard]] Result<Layout> fuseThreads(const Layout& layout);

// One axis as two: value v becomes (v div inner)@outerAxis + (v mod inner)@innerAxis: tx by 32 is warpid, laneid.
// Refused, with the iter, when an iter straddles the cut.
[[nodiscard]] Result<Layout> splitAxis(const Layout& layout, const std::string& axis, i64 inner,
                                       const std::string& outerAxis, const std::string& innerAxis);

}  // namespace tessera::axe
