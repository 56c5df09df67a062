// Helpers for tests of checks: a program with one thing changed, and the contents of its verdicts.
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "core/graphene/program.h"
#include "programs.h"
#include "solver/graphene/check.h"
#include "tests/support/changed.h"

namespace tessera::verdicts {

using testing::changed;

inline graphene::CheckResult checked(const std::string& text, const graphene::CheckOptions& how) {
  const auto read = graphene::readProgram(text);
  INFO((read ? "" : read.error().message + " at " + text.substr(read.error().span.begin, 40)));
  REQUIRE(read.ok());
  return graphene::checkProgram(*read, how);
}

inline graphene::Standing standing(const graphene::CheckResult& r, graphene::Obligation o, std::size_t spec = 0) {
  for (const graphene::ObligationVerdict& v : r.specs.at(spec).obligations)
    if (v.obligation == o) return v.standing;
  return graphene::Standing::Unknown;
}

// What the kernel's obligation says when it is refuted.
inline std::string why(const graphene::CheckResult& r, graphene::Obligation o) {
  for (const graphene::ObligationVerdict& v : r.specs.at(0).obligations)
    if (v.obligation == o && v.standing == graphene::Standing::Refuted) return v.reason;
  return "";
}

// All that is neither proved nor left unsaid; "" when all holds.
inline std::string told(const graphene::CheckResult& r) {
  std::string out;
  for (const graphene::SpecVerdict& s : r.specs)
    for (const graphene::ObligationVerdict& v : s.obligations)
      if (v.standing != graphene::Standing::Proved && v.standing != graphene::Standing::NotStated)
        out += s.spec + ": " + std::string(label(v.obligation)) + " " + std::string(name(v.standing)) + " " + v.reason +
               "\n";
  return out;
}

}  // namespace tessera::verdicts
