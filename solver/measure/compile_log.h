// CompileLog: what the CUDA compiler said, read: errors with the line of the generated text and the place in the Graphene
// text that the line came from, and the resources of every kernel.
//
//     gemm.cu(12): error: identifier "x" is undefined        line 12, lines[11] = the statement %c <- MatMul(...)
//     ptxas info : Used 232 registers, used 1 barriers, 16384 bytes smem        registers 232, shared 16384
//
// Law: a line that has neither form is kept in the log and read as nothing. Numbers of lines that the text has not name no place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"

namespace tessera::measure {

struct CompileError {
  int line = 0;         // of the generated text, from 1; 0: the compiler named none
  std::string message;  // "identifier "x" is undefined"
};
// In their order, without warnings.
[[nodiscard]] std::vector<CompileError> errorsOf(std::string_view log);

struct Resources {
  std::string kernel;
  int registers = 0, sharedBytes = 0, stackBytes = 0, spillStores = 0, spillLoads = 0, barriers = 0;  // bytes of spills
  bool operator==(const Resources&) const = default;
};
// Of a log with --ptxas-options=-v.
[[nodiscard]] std::vector<Resources> resourcesOf(std::string_view log);

// The first error as a Diag: the generated line and its text, the statement of the source as span.
[[nodiscard]] Diag compileDiag(std::string_view log, std::string_view text, const std::vector<Span>& lines,
                               std::string_view architecture);

}  // namespace tessera::measure
