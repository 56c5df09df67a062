#include "solver/measure/device/dynamic_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>

namespace tessera::measure {
namespace {

std::string loaderSays() {
  const char* const text = ::dlerror();
  return text == nullptr ? "it does not open" : text;
}

std::string pathOf(void* handle, const std::string& asked) {
  const link_map* map = nullptr;
  if (::dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr || map->l_name[0] == 0) return asked;
  return map->l_name;
}

}  // namespace

Result<DynamicLibrary> DynamicLibrary::open(const LibraryPlace& place) {
  const auto opened = [&](const std::string& file) { return ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL); };
  if (const char* const given = std::getenv(place.variable.c_str()); given != nullptr && given[0] != 0) {
    if (void* handle = opened(given)) return DynamicLibrary(handle, place, pathOf(handle, given));
    return Diag{fmt::format("{} was not found: {}={}: {}", place.noun, place.variable, given, loaderSays()),
                "the path of a shared library", fmt::format("unset {} to search the usual places", place.variable)};
  }
  std::string first;  // the loader's message for the first name is the most useful one
  for (const std::string& name : place.names) {
    if (void* handle = opened(name)) return DynamicLibrary(handle, place, pathOf(handle, name));
    if (first.empty()) first = loaderSays();
  }
  for (const std::string& folder : place.folders)
    for (const std::string& name : place.names)
      if (void* handle = opened(folder + "/" + name)) return DynamicLibrary(handle, place, pathOf(handle, name));
  std::string where = "the loader's folders";
  for (const std::string& folder : place.folders) where += ", " + folder;
  return Diag{fmt::format("{} was not found: {} ({})", place.noun, fmt::join(place.names, ", "), first),
              fmt::format("one of them in {}", where),
              fmt::format("{}{}{}=/path/to/the/file sets its location", place.hint, place.hint.empty() ? "" : "; ",
                          place.variable)};
}

void* DynamicLibrary::symbol(const char* name) const { return ::dlsym(handle_, name); }

Result<void> DynamicLibrary::fill(std::span<const Entry> table) const {
  std::vector<std::string> missing;
  for (const Entry& e : table) {
    *e.into = symbol(e.name);
    if (*e.into == nullptr) missing.emplace_back(e.name);
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
