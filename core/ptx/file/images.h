// The fat binaries in the bytes of a file: a cubin, an object or a program may hold several, each with images for
// several architectures.
//
//     imagesIn(bytes)     {Ptx, 80, ".version 9.0 ..."}, {MachineCode, 80, ""}
//
// Law: nothing beyond the end of `bytes` is read, and no image is larger than kMostText.
//
// Source: the headers that fatbinary of CUDA 11 to 13 writes; cuda-binary-utilities has no specification of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/types.h"
#include "core/ptx/open.h"

namespace tessera::ptx {

struct Image {
  enum class Kind : unsigned char { Ptx, Packed, MachineCode };  // Packed: PTX that could not be decompressed
  Kind kind = Kind::Ptx;
  int architecture = 0;  // 80
  std::string text;
};

[[nodiscard]] std::vector<Image> imagesIn(std::string_view bytes, const Unpack& zstd);

}  // namespace tessera::ptx
