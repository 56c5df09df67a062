// readBeside: reads a file named by another file whose text may be untrusted.
//
//     readBeside("kernels/mlp.graphene", "mlp_unfused.graphene")     kernels/mlp_unfused.graphene
//     readBeside("kernels/mlp.graphene", "../secret")                a Diag: it is in another folder
//
// Law: only a regular file in the first one's folder is opened: no path, no link, no pipe, which could block forever.
#pragma once

#include <string>

#include "core/base/result.h"

namespace tessera {

inline constexpr std::size_t kMostBytesBeside = std::size_t{64} << 20;

[[nodiscard]] Result<std::string> readBeside(const std::string& file, const std::string& name);

}  // namespace tessera
