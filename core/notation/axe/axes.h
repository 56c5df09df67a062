// The hardware axes: names, kinds, bounds, scopes, and the fusion of thread axes. From TVM's tirx layouts; the
// spellings of the paper and the source article have separate rows.
//
//     axis        kind     carries           bound   fuses
//     laneid      thread   thread of a warp     32   (thread, cta): 1@tx
//     warpid      thread   warp of a cta         -   (thread, cta): 32@tx
//     m, P, F ..  memory                              -
//
// A scope is the unit that holds a piece: thread < warp < warpgroup < cta < cluster < kernel. A thread axis maps one
// scope into a larger one, and the axes of a layout must form one chain, thread -> .. -> outermost: warpid + laneid is
// (thread, cta); wgid + laneid is disconnected, because the warp within the warpgroup is missing. An axis that is not
// in the table is accepted with kind Other, with a note if it looks like a typo.
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
  std::optional<i64> bound;  // values are in [0, bound)
  std::string_view inner;    // Thread only: from this scope, "thread"
  std::string_view outer;    // to this scope, "warp"
  std::string_view what;     // "lane of a warp"
};
[[nodiscard]] const AxisInfo* findAxis(std::string_view name);
[[nodiscard]] AxisKind axisKind(std::string_view name);
// One note per axis of the layout that is not in the table but close to a name that is ("lanid").
[[nodiscard]] std::vector<Diag> axisNotes(const Layout& layout);

// (subscope, scope) of the layout's thread axes: (thread, warp). nullopt if it has none. A Diag if two axes map the
// same scope to different ones, or the chain has a gap.
[[nodiscard]] Result<std::optional<std::pair<std::string, std::string>>> scopeOf(const Layout& layout);

// Replaces the thread axes by one: within (thread, cta), 4@laneid is 4@tx and 1@warpid is 32@tx; within (thread,
// warpgroup) the axis is tid_in_wg. The result is canonical. Offsets on the new axis are added: 5@warpid + 3@laneid is
// 163@tx (TVM overwrites them). A layout without thread axes is returned in canonical form.
[[nodiscard]] Result<Layout> fuseThreads(const Layout& layout);

// Splits one axis into two: v becomes (v div inner)@outerAxis + (v mod inner)@innerAxis. tx by 32 is warpid, laneid.
// Refused, naming the iter, if an iter straddles the cut.
[[nodiscard]] Result<Layout> splitAxis(const Layout& layout, const std::string& axis, i64 inner,
                                       const std::string& outerAxis, const std::string& innerAxis);

// Named layouts of accelerators with two-dimensional memories.
//
// trainium("FPF", (32,512,512)): one letter per dimension, P for the partition axis (128 partitions), F for the free
// one. F dimensions are contiguous row-major. A single P dimension may be a multiple of 128: its high part gets the
// largest F stride. Several P dimensions are row-major, with a product of at most 128.
//     = S[(32,4,128,512):(512@F,16384@F,1@P,1@F)]
// toPsum(L): splits free elements at 512 into Bank and F.   S[(1024,8):(1@F,1@P)] -> S[(2,512,8):(1@Bank,1@F,1@P)]

[[nodiscard]] Result<Layout> trainium(std::string_view annotation, const std::vector<i64>& shape);
[[nodiscard]] Result<Layout> toPsum(const Layout& layout);

}  // namespace tessera::axe
