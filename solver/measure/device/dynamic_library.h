// DynamicLibrary: a shared library that may or may not be installed, opened on demand.
//
//     LibraryPlace{"the CUDA driver", {"libcuda.so.1", "libcuda.so"}, {}, "TESSERA_LIBCUDA", "..."}
//     open   the first name that opens, in the loader's search path, then in the folders
//            Diag: "the CUDA driver was not found: libcuda.so.1, libcuda.so: cannot open shared object file: No such
//            file or directory; /usr/lib/wsl/lib: no such folder"
//     fill   a table of functions by name; Diag: "libcuda.so.1 has no cuEventQuery ..."
//
// A name that does not open is no failure: the next one is tried. The toolkit's stubs (a file in a folder `stubs`, for
// linking only) open, but run nothing: they are closed again, and the next name is tried.
//
// An environment variable (TESSERA_LIBCUDA=/path/to/file) overrides all names, for tests and for machines with several
// versions. Nothing is linked: the program builds and starts without CUDA and reports what is missing.
//
// Law: the Diag of open has every name that was tried, each with its reason; names with the same reason share it.
//
// Why it is never closed: CUDA's libraries leave threads and exit handlers running, and unloading one crashes. A stub
// has none. It must be closed, because it has the real library's SONAME, by which the loader would find it again.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace tessera::measure {

struct LibraryPlace {
  std::string noun;                  // "the CUDA driver"
  std::vector<std::string> names;    // in order of preference
  std::vector<std::string> folders;  // searched after the loader's path
  std::string variable;              // environment variable: a file to open instead
  std::string hint;                  // what to do if there is none
};

// One function of a table: its exported name and where to store its address.
struct Entry {
  const char* name;
  void** into;
  bool optional = false;  // null if the library does not export it
};
template <class Function>
[[nodiscard]] Entry entry(const char* name, Function*& into, bool optional = false) {
  return {name, reinterpret_cast<void**>(&into), optional};  // as in the dlsym(3) manual page
}

// The functions of a library, one member each: int (*init)(unsigned) = named("cuInit", init);
class FunctionTable {
 public:
  FunctionTable() = default;
  FunctionTable(const FunctionTable&) = delete;
  FunctionTable& operator=(const FunctionTable&) = delete;
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

 protected:
  template <class Function>
  [[nodiscard]] std::nullptr_t named(const char* name, Function*& into) {
    entries_.push_back(entry(name, into));
    return nullptr;
  }
  // For a function that older libraries lack: its user asks whether it is null.
  template <class Function>
  [[nodiscard]] std::nullptr_t ifThere(const char* name, Function*& into) {
    entries_.push_back(entry(name, into, true));
    return nullptr;
  }

 private:
  std::vector<Entry> entries_;
};

class DynamicLibrary {
 public:
  [[nodiscard]] static Result<DynamicLibrary> open(const LibraryPlace& place);
  [[nodiscard]] void* symbol(const char* name) const;  // null: not exported
  // Fills all entries, or returns a Diag that names the missing ones that are not optional; the table is then unusable.
  [[nodiscard]] Result<void> fill(std::span<const Entry> table) const;
  [[nodiscard]] const std::string& path() const { return path_; }  // the opened file
  [[nodiscard]] std::string folder() const;                        // its folder, symbolic links resolved

 private:
  DynamicLibrary(void* handle, LibraryPlace place, std::string path)
      : handle_(handle), place_(std::move(place)), path_(std::move(path)) {}
  void* handle_ = nullptr;
  LibraryPlace place_;
  std::string path_;
};

// $CUDA_HOME and $CUDA_PATH if set, then /usr/local/cuda, each followed by `below` ("lib64").
[[nodiscard]] std::vector<std::string> toolkitFolders(const std::string& below);

}  // namespace tessera::measure
