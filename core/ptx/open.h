// Finds the PTX text in the bytes of a file.
//
//     a .ptx file, the output of cuobjdump -ptx        the text from .version on
//     a cubin, fatbin, object or program               the PTX for the newest architecture in its fat binaries
//     Triton's asm['ptx'] as Python or JSON prints it  ".version 8.7\n.target..." with its escapes replaced
//
// Errors say what the file holds instead and which command makes PTX of it: CUDA source (nvcc -ptx), machine code
// without PTX, PTX that is compressed in a way that `zstd` does not undo (cuobjdump -ptx).
//
// Law: ptxIn(text) is the text itself, for every text that read() accepts; the bytes of damaged files are never read
// beyond their end.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tessera::ptx {

struct Found {
  std::string text;
  std::string from;  // "PTX for sm_90, one of 2 in this file"; empty: the file is the text
};

// The decompressed bytes, or nullopt; CUDA 13 compresses PTX with zstd.
using Unpack = std::function<std::optional<std::string>(std::string_view bytes, std::size_t size)>;

// `name`: of the file, for messages.
[[nodiscard]] Result<Found> ptxIn(std::string_view bytes, std::string_view name, const Unpack& zstd = {});

// CUDA C++, by its name or by what it holds.
[[nodiscard]] bool isCudaSource(std::string_view bytes, std::string_view name);

// An LZ4 block, the compression of CUDA 12 and older; nullopt if it is damaged or is not `size` bytes long.
[[nodiscard]] std::optional<std::string> unpackedLz4(std::string_view bytes, std::size_t size);

}  // namespace tessera::ptx
