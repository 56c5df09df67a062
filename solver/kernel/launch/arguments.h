// Arguments of a launch as text, in the order of the parameters.
//
//     @A.npy                  a buffer with the bytes of a file, in C order
//     f16[1024,1024]          a buffer of random numbers of the seed; f32[64]=0 is filled with one value
//     int32:5  float16:0.5    a scalar; 5 alone is of the parameter's own type
//     struct:00ff10           the bytes of a structure, in hexadecimal
//     tensormap:f16[1024,512],box=64x64     a tensor map (tensor_argument.h); tensormap:#2,box=64x64: of argument 2
//     _                       any value
//     A=@A.npy                any of these with a name, for a reference
//
// Random numbers: multiples of 1/64 in [-1, 1] (of 1/8 and 1/4 in e4m3 and e5m2); integers -8 to 7, unsigned 0 to 7.
// Element k of argument n depends only on the seed, n and k.
//
// Law: an argument is accepted if and only if it fits its parameter: a buffer a pointer, a value its size. A Diag says
// which parameter it is and what would fit.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/npy.h"
#include "solver/kernel/kernel.h"
#include "solver/kernel/launch/element.h"

namespace tessera::kernel {

struct Given {
  Argument argument;
  std::string name;     // of "A=..."; else of the parameter
  std::string descr;    // of a buffer's elements: "<f4"
  std::string format;   // "bfloat16", where `descr` does not tell
  bool filled = false;  // f32[64]=0: with one value
};

using ReadBytes = std::function<Result<std::string>(const std::string& path)>;

[[nodiscard]] Result<std::vector<Given>> readArguments(const ptx::Function& entry,
                                                       const std::vector<std::string>& texts, u64 seed,
                                                       const ReadBytes& read);

// A buffer after the run as an array with the argument's type and shape.
[[nodiscard]] Npy arrayOf(const Given& given, const std::vector<std::byte>& bytes);

// "the parameters of k: 0 a .u64, 1 n .u32"
[[nodiscard]] std::string parametersText(const ptx::Function& entry);

}  // namespace tessera::kernel
