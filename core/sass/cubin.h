// What a cubin (an ELF file of machine 190) says about its kernels beside their code.
//
//     cubinOf(bytes)     {{"matmul_C", registers 216, shared 0, local 0}}
//
// shared: bytes of static shared memory of a block (dynamic shared memory is of the launch); local: bytes of a
// thread's frame in local memory, 0 if nothing spills and no array is local.
//
// Law: nothing beyond the end of `bytes` is read; a damaged file gives fewer kernels or none.
//
// Source: .nv.info as cuobjdump -elf prints it (EIATTR_FRAME_SIZE 0x11, EIATTR_REGCOUNT 0x2f).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/types.h"

namespace tessera::sass {

struct CubinKernel {
  std::string name;
  int registers = 0;
  i64 sharedBytes = 0, localBytes = 0;
  bool operator==(const CubinKernel&) const = default;
};

[[nodiscard]] bool isCubin(std::string_view bytes);
[[nodiscard]] std::vector<CubinKernel> cubinOf(std::string_view bytes);
// The cubins inside another file, such as an executable or a fat binary; compressed ones are not found.
[[nodiscard]] std::vector<std::string_view> cubinsIn(std::string_view bytes);

}  // namespace tessera::sass
