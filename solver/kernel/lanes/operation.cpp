#include "solver/kernel/lanes/operation.h"

#include <fmt/format.h>

namespace tessera::kernel {

Result<Operation> operationOf(const ptx::Opcode& opcode) {
  for (const auto family :
       {integerOperation, comparisonOperation, floatOperation, conversion, warpOperation, matrixOperation})
    if (Found found = family(opcode)) return *std::move(found);
  return Diag{fmt::format("the instruction {} is not supported", opcode.text)};
}

}  // namespace tessera::kernel
