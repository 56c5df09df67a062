// HLO modules and their parts as worksheet values. An instruction that reads one operand by one map converts to that
// map. For an instruction with several operands, reads(NAME.%f, 0) selects one.
#pragma once

#include "core/hlo/listing.h"
#include "core/layout/layout.h"

namespace tessera {

template <>
struct NotationOf<hlo::Listing> {
  static std::string_view kind(const hlo::Listing&) { return "module"; }
  static std::string_view noun(const hlo::Listing&) { return "an HLO module"; }
  static Result<Arrow> arrow(const hlo::Listing& listing);
  static constexpr std::string_view kFamily = "hlo";
};

template <>
struct NotationOf<hlo::Part> {
  static std::string_view kind(const hlo::Part& p) { return p.isComputation() ? "computation" : "hlo"; }
  static std::string_view noun(const hlo::Part& p) {
    return p.isComputation() ? "an HLO computation" : "an HLO instruction";
  }
  static Result<Arrow> arrow(const hlo::Part& part);
  static constexpr std::string_view kFamily = "hlo";
};

}  // namespace tessera
