// The certificate of a checked program as a JSON file (docs/certificates.md).
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/worksheet/language/place.h"
#include "solver/graphene/certificate/certificate.h"

namespace tessera {

// {"format":"tessera-certificate","version":2,"program":"...","sizes":{},"kernels":[...]}.
[[nodiscard]] std::string certificateJson(const graphene::Certificate& certificate, std::string_view program,
                                          const std::map<std::string, i64>& sizes);

}  // namespace tessera
