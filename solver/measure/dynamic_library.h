// DynamicLibrary: a shared library that may be there or not, opened when it is asked for.
//
//     LibraryPlace{"the CUDA driver", {"libcuda.so.1", "libcuda.so"}, {}, "TESSERA_LIBCUDA", "..."}
//     open   the first of the names that opens, in the loader's own places, then in the folders
//            Diag: "the CUDA driver was not found: libcuda.so.1, libcuda.so" and where it was looked for
//     fill   a table of functions by name; Diag: "libcuda.so.1 has no cuEventQuery ..."
//
// An environment variable (TESSERA_LIBCUDA=/path/to/file) takes the place of all names: for tests, and for a machine that
// has several. Nothing is linked: a program without CUDA builds, starts, and says what is missing.
//
// Why it is never closed: CUDA's libraries leave threads and exit handlers behind; unloading one ends in a crash.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace tessera::measure {

struct LibraryPlace {
  std::string noun;                  // "the CUDA driver"
  std::vector<std::string> names;    // in the order of preference
  std::vector<std::string> folders;  // beside the loader's own
  std::string variable;              // of the environment; the file to open instead
  std::string hint;                  // what to do where there is none
};

// One function of a table: its exported name, and where its address goes.
struct Entry {
  const char* name;
  void** into;
};
template <class Function>
[[nodiscard]] Entry entry(const char* name, Function*& into) {
  return {name, reinterpret_cast<void**>(&into)};  // as dlsym's own page does it
}

class DynamicLibrary {
 public:
  [[nodiscard]] static Result<DynamicLibrary> open(const LibraryPlace& place);
  [[nodiscard]] void* symbol(const char* name) const;  // null: it has none
  // All of them, or a Diag that names those it has not; then the table is not to be used.
  [[nodiscard]] Result<void> fill(std::span<const Entry> table) const;
  [[nodiscard]] const std::string& path() const { return path_; }  // the file that was opened
  [[nodiscard]] std::string folder() const;                        // where that file lies, links followed

 private:
  DynamicLibrary(void* handle, LibraryPlace place, std::string path)
      : handle_(handle), place_(std::move(place)), path_(std::move(path)) {}
  void* handle_ = nullptr;
  LibraryPlace place_;
  std::string path_;
};

// $CUDA_HOME and $CUDA_PATH where they are set, then /usr/local/cuda: each followed by `below` ("lib64").
[[nodiscard]] std::vector<std::string> toolkitFolders(const std::string& below);

}  // namespace tessera::measure
