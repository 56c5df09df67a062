// A PTX text that uses the whole syntax, for tests. ptxas 13 accepts it for sm_100a.
#pragma once

#include <string>

namespace tessera::ptx::test {

[[nodiscard]] const std::string& everySyntax();

}  // namespace tessera::ptx::test
