// The trace of a kernel of a worksheet, for pictures: recorded when a picture asks for it, and kept.
//
//     facts.trace = tracesOf({file, bytes, launch, source.file(), report.findings});
//     facts.trace(-1)      the block of the first finding, else block 0; its lines are those of the source
//
// Law: the line of an instruction is its line in the text of the value, 0 if it has none there; its text is that line
// of the PTX (tests/engine/kernel_trace_test.cpp).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/files/kernel_source.h"
#include "core/code/index_code.h"
#include "solver/kernel/launch/prepare.h"

namespace tessera {

// A file of a statement, by its path.
[[nodiscard]] Result<std::string> readKernelFile(const std::string& path);
// Without compilers: a sheet may come from others, and its statements are evaluated while it is read.
[[nodiscard]] Result<KernelFile> openInSheet(const std::string& bytes, const std::string& file);

// The file of a kernel's source that most of its accesses lie in, and the lines of instructions in it.
class SourceLines {
 public:
  SourceLines(const KernelFile& kernel, const std::string& path, const kernel::Report& report);
  SourceLines(const KernelFile& kernel, const std::string& path, int file) : source_(kernel, path), file_(file) {}
  [[nodiscard]] int file() const { return file_; }
  // 1 for what has no line in the file.
  [[nodiscard]] std::size_t lineOf(int line, int location) const;
  // 0 for what has none.
  [[nodiscard]] std::size_t lineOrNone(int line, int location) const;
  [[nodiscard]] std::string text();

 private:
  KernelSource source_;
  int file_ = 0;
};

struct TraceSource {
  std::string file, bytes;
  kernel::LaunchText launch;
  int sourceFile = 0;  // SourceLines::file
  std::vector<kernel::Finding> findings;
};
[[nodiscard]] std::function<Result<std::shared_ptr<const code::RunTrace>>(i64 block)> tracesOf(TraceSource source);

}  // namespace tessera
