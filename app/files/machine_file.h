// Opens a file that holds machine code: a listing of nvdisasm or cuobjdump, a cubin, a program with cubins inside, PTX
// or CUDA C++, which ptxas or nvcc of this machine compiles. Cubins are listed by nvdisasm of this machine.
//
//     openMachineCode(text, "k.sass", {})       the text itself; no tool is needed
//     openMachineCode(bytes, "k.cubin", {})     the text of nvdisasm -c -hex -g, and the cubin's own facts
//
// Without nvdisasm, the hint is the command that makes the listing elsewhere.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/sass/cubin.h"

namespace tessera {

struct MachineFile {
  std::vector<std::string> texts;        // a listing for each cubin
  std::vector<sass::CubinKernel> facts;  // of the cubins' kernels; empty for a listing
  std::string from;                      // "compiled by nvcc for sm_80"; empty: the file as it is
};

struct MachineFileOptions {
  std::string architecture = {};  // of PTX and CUDA C++; empty: as the text needs, sm_80 at least
};

[[nodiscard]] Result<MachineFile> openMachineCode(std::string_view bytes, const std::string& name,
                                                  const MachineFileOptions& options);

}  // namespace tessera
