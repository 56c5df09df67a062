// The source lines of a kernel: of the PTX text, and of the files that its .loc directives name, if they exist.
//
//     KernelSource source(file, "build/add.ptx");
//     source.text(57, 3)      "add.cu:12: c[i] = a[i]; line 57 of the PTX: ld.global.f32 ..."
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/files/kernel_file.h"

namespace tessera {

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
  // The same in one file of the module: the line itself, or the one at which it is inlined; 0: neither. File 0 is the
  // PTX text.
  [[nodiscard]] int lineIn(int file, int line, int location) const;
  // The file that most of these locations lie in, or are inlined at; 0 without any.
  [[nodiscard]] int fileOf(const std::vector<int>& locations) const;
  // Its lines; empty if it is not found.
  [[nodiscard]] const std::vector<std::string>& linesOf(int file);

 private:
  [[nodiscard]] std::string fileName(int file) const;
  [[nodiscard]] std::string sourceLine(int file, int line);

  const KernelFile& file_;
  std::string path_;
  std::vector<std::string> ptx_;
  std::map<int, std::vector<std::string>> sources_;
};

}  // namespace tessera
