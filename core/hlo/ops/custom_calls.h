// CustomCalls: rules for custom calls that the user states, one line for an operand of an output.
//
//     # target        output operand   what is read there
//     my_norm         0      0         (d0, d1)[s0] -> (d0, s0)
//     my_norm         0      1         (d0, d1) -> (d1)
//     my_stencil      0      0         at most (d0)[s0] -> (d0 + s0 - 1), domain: s0 in [0, 2]
//     my_copy*        *      0         same
//     my_norm         1      *         all
//
// A read is a map in XLA's notation, where d0.. are the coordinates of the output, or one of the words `same` (the
// element at the same place), `all` (every element) and `nothing`. `at most` says that it is a superset. Ranges that
// the sizes give may be left out: of d0.., and of an s that is a value by itself. Points outside the operand are not
// read. * is every output or operand; a target that ends in * is every target that begins so. Outputs are numbered as
// leaves (core/notation/xla/shape.h). Several lines of the same output and operand add up.
//
// An operand of a listed target without a line is unknown. A listed target takes precedence over a rule of Tessera, a
// whole name over one with a *, and of two with a *, the longer one.
//
// Laws: what is listed is believed, so `exact` means exact as the user states it; a use is its read turned round
// (converse.h). A line that does not fit the sizes of an instruction makes its reads unknown, with the number of the
// line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/hlo/ops/op_maps.h"

namespace tessera::hlo {

class CustomCalls {
 public:
  struct Row {
    std::string target;  // without the *
    bool prefix = false;
    int output = -1, operand = -1;  // -1: each
    enum class What : unsigned char { Map, Same, All, Nothing } what = What::Map;
    bool atMost = false;
    std::string map;                                // before the domain
    std::vector<std::string> dims, ranges, values;  // names of d0.. and s0.., and the results
    std::string domain;                             // after "domain:"; may be empty
    int line = 0;
  };

  // The span of a Diag is the line that is wrong.
  [[nodiscard]] static Result<CustomCalls> parse(std::string_view text);
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  // The rows of a target; empty: it is not listed.
  [[nodiscard]] std::vector<const Row*> of(std::string_view target) const;

 private:
  std::vector<Row> rows_;
};

// The read of that row, for sizes of an output and an operand.
[[nodiscard]] Reach readBy(const CustomCalls::Row& row, std::size_t operand, const std::vector<i64>& output,
                           const std::vector<i64>& array);

// The module with these rules. Requires: no query of this copy has been answered yet.
[[nodiscard]] Module withCustomCalls(Module module, CustomCalls calls);

}  // namespace tessera::hlo
