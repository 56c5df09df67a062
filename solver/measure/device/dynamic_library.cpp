#include "solver/measure/device/dynamic_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace tessera::measure {
namespace {

std::string pathOf(void* handle, const std::string& asked) {
  const link_map* map = nullptr;
  if (::dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr || map->l_name[0] == 0) return asked;
  return map->l_name;
}

// /usr/local/cuda/lib64/stubs/libcuda.so, also through a link.
bool isStub(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path whole = std::filesystem::canonical(path, failed);
  return (failed ? std::filesystem::path(path) : whole).parent_path().filename() == "stubs";
}

struct Opened {
  void* handle = nullptr;
  std::string path;
  std::string why;  // if the handle is null
};

Opened opened(const std::string& file) {
  Opened out;
  out.handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (out.handle == nullptr) {
    const char* const said = ::dlerror();
    out.why = said == nullptr ? "it does not open" : said;
    if (out.why.starts_with(file + ": ")) out.why.erase(0, file.size() + 2);
    return out;
  }
  out.path = pathOf(out.handle, file);
  if (!isStub(out.path)) return out;
  ::dlclose(out.handle);
  out.handle = nullptr;
  out.why = out.path == file ? "the toolkit's stub, which runs nothing"
                             : fmt::format("the toolkit's stub {}, which runs nothing", out.path);
  return out;
}

// The names tried so far. Names with the same reason share it, in the order of their first name.
class Tried {
 public:
  void add(const std::string& name, const std::string& why) {
    const auto same = std::ranges::find(reasons_, why, &Reason::why);
    (same == reasons_.end() ? reasons_.emplace_back(Reason{why, {}}) : *same).names.push_back(name);
  }
  [[nodiscard]] std::string text() const {
    std::string out;
    for (const Reason& r : reasons_)
      out += fmt::format("{}{}: {}", out.empty() ? "" : "; ", fmt::join(r.names, ", "), r.why);
    return out;
  }

 private:
  struct Reason {
    std::string why;
    std::vector<std::string> names;
  };
  std::vector<Reason> reasons_;
};

}  // namespace

Result<DynamicLibrary> DynamicLibrary::open(const LibraryPlace& place) {
  if (const char* const given = std::getenv(place.variable.c_str()); given != nullptr && given[0] != 0) {
    const Opened only = opened(given);
    if (only.handle != nullptr) return DynamicLibrary(only.handle, place, only.path);
    return Diag{fmt::format("{} was not found: {}={}: {}", place.noun, place.variable, given, only.why),
                "the path of a shared library", fmt::format("unset {} to search the usual places", place.variable)};
  }
  Tried tried;
  std::vector<std::string> files = place.names;
  for (const std::string& folder : place.folders) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored)) continue;
    for (const std::string& name : place.names) files.push_back(folder + "/" + name);
  }
  for (const std::string& file : files) {
    const Opened next = opened(file);
    if (next.handle != nullptr) return DynamicLibrary(next.handle, place, next.path);
    tried.add(file, next.why);
  }
  std::string where = "the loader's folders";
  for (const std::string& folder : place.folders) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored)) tried.add(folder, "no such folder");
    where += ", " + folder;
  }
  return Diag{fmt::format("{} was not found: {}", place.noun, tried.text()), fmt::format("one of them in {}", where),
              fmt::format("{}{}{}=/path/to/the/file sets its location", place.hint, place.hint.empty() ? "" : "; ",
                          place.variable)};
}

void* DynamicLibrary::symbol(const char* name) const { return ::dlsym(handle_, name); }

Result<void> DynamicLibrary::fill(std::span<const Entry> table) const {
  std::vector<std::string> missing;
  for (const Entry& e : table) {
    *e.into = symbol(e.name);
    if (*e.into == nullptr && !e.optional) missing.emplace_back(e.name);
  }
  if (missing.empty()) return {};
  return Diag{fmt::format("{} ({}) is too old: it has no {}", place_.noun, path_, fmt::join(missing, ", ")),
              fmt::format("a library with all {} functions that Tessera uses", table.size()), place_.hint};
}

std::string DynamicLibrary::folder() const {
  std::error_code failed;
  const auto whole = std::filesystem::canonical(path_, failed);
  return failed ? "" : whole.parent_path().string();
}

std::vector<std::string> toolkitFolders(const std::string& below) {
  std::vector<std::string> out;
  for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* const root = std::getenv(variable); root != nullptr && root[0] != 0)
      out.push_back(std::string(root) + "/" + below);
  out.push_back("/usr/local/cuda/" + below);
  return out;
}

}  // namespace tessera::measure
