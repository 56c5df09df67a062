// readBeside: a file that another file names, where the text of the other may be a stranger's.
//
//     readBeside("kernels/mlp.graphene", "mlp_unfused.graphene")     kernels/mlp_unfused.graphene
//     readBeside("kernels/mlp.graphene", "../secret")                a Diag: it lies in another folder
//
// Law: only a regular file in the folder of the first is opened: no path, no link, no pipe, which could wait for ever.
#pragma once

#include <string>

#include "core/base/result.h"

namespace tessera {

inline constexpr std::size_t kMostBytesBeside = std::size_t{64} << 20;

[[nodiscard]] Result<std::string> readBeside(const std::string& file, const std::string& name);

}  // namespace tessera
