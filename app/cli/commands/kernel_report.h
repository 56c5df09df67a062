// The report of a kernel's run, as text and as JSON.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/files/kernel_file.h"
#include "solver/kernel/kernel.h"

namespace tessera {

// The source lines that .loc names: the PTX text, and the files if they exist.
class KernelSource {
 public:
  // `path`: of the kernel's file; sources are searched as named, and beside it.
  KernelSource(const KernelFile& file, std::string path);

  // "add.cu:12: c[i] = a[i];", with the place it is inlined at; else "line 57 of the PTX: ld.shared.f32 ..."
  [[nodiscard]] std::string text(int line, int location);
  // Of a table: "add.cu:12" or "57".
  [[nodiscard]] std::string place(int line, int location) const;
  struct Place {
    std::string file;  // empty: the PTX text
    int line = 0;
  };
  [[nodiscard]] Place placeOf(int line, int location) const;

 private:
  [[nodiscard]] std::string fileName(int file) const;
  [[nodiscard]] std::string sourceLine(int file, int line);
  const std::vector<std::string>& linesOf(int file);

  const KernelFile& file_;
  std::string path_;
  std::vector<std::string> ptx_;
  std::map<int, std::vector<std::string>> sources_;
};

[[nodiscard]] std::vector<std::string> kernelReportText(const kernel::Report& report, KernelSource& source);
[[nodiscard]] std::string kernelReportJson(const kernel::Report& report, const KernelSource& source,
                                           const std::vector<kernel::Synchronization>* barriers);
[[nodiscard]] std::vector<std::string> barriersText(const std::vector<kernel::Synchronization>& barriers,
                                                    KernelSource& source);
// "deadlock" ... "clean", with what it covers.
[[nodiscard]] std::string verdictText(const kernel::Report& report);

}  // namespace tessera
