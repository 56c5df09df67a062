#include "app/files/kernel_source.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "core/base/chars.h"
#include "core/base/words.h"

namespace tessera {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostSource = 16u << 20;  // bytes of a source file

std::vector<std::string> splitLines(std::string_view text) {
  const std::vector<std::string_view> lines = textLines(text);
  return {lines.begin(), lines.end()};
}

// A source line without its blanks at the ends; a long one is cut.
std::string shortened(std::string_view line) {
  constexpr std::size_t kMost = 100;
  line = stripped(line);
  if (line.size() <= kMost) return std::string(line);
  return std::string(line.substr(0, codePointStart(line, kMost))) + " ...";
}

}  // namespace

KernelSource::KernelSource(const KernelFile& file, std::string path)
    : file_(file), path_(std::move(path)), ptx_(splitLines(file.text)) {}

std::string KernelSource::fileName(int file) const {
  const auto at = file_.module.files.find(file);
  return at == file_.module.files.end() ? fmt::format("file {}", file) : at->second;
}

const std::vector<std::string>& KernelSource::linesOf(int file) {
  if (file == 0) return ptx_;
  const auto [at, fresh] = sources_.try_emplace(file);
  if (!fresh) return at->second;
  const fs::path name = fileName(file);
  const fs::path folder = fs::path(path_).parent_path();
  for (const fs::path& path : {name, folder / name, folder / name.filename()}) {
    std::error_code error;
    if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > kMostSource || error) continue;
    std::ifstream in(path, std::ios::binary);
    at->second = splitLines(std::string(std::istreambuf_iterator<char>(in), {}));
    break;
  }
  return at->second;
}

int KernelSource::lineIn(int file, int line, int location) const {
  if (file == 0) return line;
  if (location < 0) return 0;
  const ptx::Location& l = file_.module.locations[static_cast<std::size_t>(location)];
  if (l.file == file) return l.line;
  return l.inlinedAt && (*l.inlinedAt)[0] == file ? (*l.inlinedAt)[1] : 0;
}

int KernelSource::fileOf(const std::vector<int>& locations) const {
  std::map<int, int> counts;
  for (const int location : locations) {
    if (location < 0) continue;
    const ptx::Location& l = file_.module.locations[static_cast<std::size_t>(location)];
    if (l.line > 0) ++counts[l.inlinedAt ? (*l.inlinedAt)[0] : l.file];
  }
  int file = 0;
  for (const auto& [name, count] : counts)
    if (file == 0 || count > counts[file]) file = name;
  return file;
}

std::string KernelSource::sourceLine(int file, int line) {
  const std::vector<std::string>& lines = linesOf(file);
  const bool inside = line >= 1 && static_cast<std::size_t>(line) <= lines.size();
  return inside ? shortened(lines[static_cast<std::size_t>(line) - 1]) : "";
}

KernelSource::Place KernelSource::placeOf(int line, int location) const {
  if (location < 0) return {"", line};
  const ptx::Location& l = file_.module.locations[static_cast<std::size_t>(location)];
  if (l.line == 0) return {"", line};
  return {fileName(l.file), l.line};
}

std::string KernelSource::place(int line, int location) const {
  const Place at = placeOf(line, location);
  if (at.file.empty()) return fmt::format("{}", at.line);
  return fmt::format("{}:{}", fs::path(at.file).filename().string(), at.line);
}

std::string KernelSource::text(int line, int location) {
  const bool inside = line >= 1 && static_cast<std::size_t>(line) <= ptx_.size();
  const std::string own = inside ? shortened(ptx_[static_cast<std::size_t>(line) - 1]) : "";
  const std::string ptx = fmt::format("line {} of the PTX: {}", line, own);
  const Place at = placeOf(line, location);
  if (at.file.empty()) return ptx;
  const ptx::Location& l = file_.module.locations[static_cast<std::size_t>(location)];
  const std::string source = sourceLine(l.file, l.line);
  std::string out = place(line, location);
  if (!source.empty()) out += ": " + source;
  if (l.inlinedAt) {
    const auto& [file, from, column] = *l.inlinedAt;
    out += fmt::format(" (inlined at {}:{}", fs::path(fileName(file)).filename().string(), from);
    const std::string caller = sourceLine(file, from);
    out += caller.empty() ? ")" : fmt::format(": {})", caller);
  }
  return fmt::format("{}; {}", out, ptx);
}

}  // namespace tessera
