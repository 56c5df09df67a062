// Links of values: relations from a layout's points to other points, given by its arrow (render/figure/linked.h
// describes how pictures use them).
//
//     #ttg.blocked over (16,8)         (register, lane, warp) -> element (r,c); element -> thread warp * 32 + lane
//     ((4,8),(2,2)):((32,1),(16,8))    (thread, value) -> element of the 16 x 8 tile; -> thread
//     R = composition(A, B)            R's i and B's i are A's B(i)
//     R = logical_divide(A, B)         R's i is the j of A with the same address
//     R = logical_product(A, B)        R's i is A's i mod size(A) and B's i / size(A)
//
// Thread t is the same point in every picture: lane t of an instruction, of an access, of a layout.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/worksheet/value.h"
#include "core/worksheet/worksheet.h"
#include "render/draw/placed/placed.h"
#include "render/draw/subject.h"
#include "render/figure/linked.h"

namespace tessera {

[[nodiscard]] Point threadPoint(i64 thread);
[[nodiscard]] bool isThread(Point point);
// Domain of a layout's elements: the extents of its arrow's top-level modes. 0 if the value is not a layout.
[[nodiscard]] u64 pointDomainOf(const Value& value);

// Point i of `from` is point f(i) of `to`, if that is in [0, size). Requires one axis.
[[nodiscard]] Result<LinkPtr> valueLink(const std::shared_ptr<const Subject>& f, u64 from, u64 to, i64 size);
// Relates points of a and b with equal addresses. Requires one axis each.
[[nodiscard]] Result<LinkPtr> addressLink(const std::shared_ptr<const Subject>& a,
                                          const std::shared_ptr<const Subject>& b);
// (thread, value): the first mode is the thread. Only for layouts shown that way: (64,64):(64,1) could be one.
[[nodiscard]] LinkPtr firstModeLink(const Subject& subject);
// Relates the elements of a tensor to the threads that hold them.
[[nodiscard]] LinkPtr placedLink(std::shared_ptr<const Placed> placed);

// Links of the value's own arrow, independent of the view: hardware -> elements, elements -> threads.
[[nodiscard]] std::vector<FigureLink> linksOf(const Value& value);
// Links between the inputs and the result of an algebra operation, for grids of these names.
[[nodiscard]] std::vector<FigureLink> linksOf(const Operation& operation, const Value* result,
                                              std::span<const std::string> inputs, const std::string& resultName);

}  // namespace tessera
