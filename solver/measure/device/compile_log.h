// CompileLog: parses the CUDA compiler's log: errors, with the line of the generated text and the place in the Graphene
// text that it came from, and the resources of every kernel.
//
//     gemm.cu(12): error: identifier "x" is undefined        line 12, lines[11] = the statement %c <- MatMul(...)
//     ptxas info : Used 232 registers, used 1 barriers, 16384 bytes smem        registers 232, shared 16384
//
// Law: lines of any other form stay in the log and are otherwise ignored. A line number beyond the text maps to no
// place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"

namespace tessera::measure {

struct CompileError {
  int line = 0;         // 1-based, in the generated text; 0: not given
  std::string message;  // "identifier "x" is undefined"
};
// In order, without warnings.
[[nodiscard]] std::vector<CompileError> errorsOf(std::string_view log);

struct Resources {
  std::string kernel;
  int registers = 0, sharedBytes = 0, stackBytes = 0, spillStores = 0, spillLoads = 0, barriers = 0;  // spills in bytes
  bool operator==(const Resources&) const = default;
};
// Parses a log produced with --ptxas-options=-v.
[[nodiscard]] std::vector<Resources> resourcesOf(std::string_view log);

// The first error as a Diag, with the generated line and its text; the span is the source statement.
[[nodiscard]] Diag compileDiag(std::string_view log, std::string_view text, const std::vector<Span>& lines,
                               std::string_view architecture);

}  // namespace tessera::measure
