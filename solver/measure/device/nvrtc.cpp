#include "solver/measure/device/nvrtc.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "core/base/mapped.h"
#include "core/base/words.h"

namespace tessera::measure {

namespace {

// The number that ends where `word` begins in `line`; -1: none.
int numberBefore(std::string_view line, std::string_view word) {
  const std::size_t at = line.find(word);
  if (at == std::string_view::npos) return -1;
  std::size_t begin = at;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  return static_cast<int>(wholeNumber(line.substr(begin, at - begin)).value_or(-1));
}

std::string_view between(std::string_view line, std::string_view open, char close) {
  const std::size_t at = line.find(open);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + open.size());
  const std::size_t end = line.find(close);
  return end == std::string_view::npos ? std::string_view{} : line.substr(0, end);
}

void put(int& into, int value) {
  if (value >= 0) into = value;
}

constexpr int kCompilation = 6, kOutOfMemory = 1, kInvalidOption = 5;  // nvrtcResult

// Blocks the terminating signals in this thread during its lifetime; they arrive afterwards. While it compiles, NVRTC
// 13 installs a handler that allocates memory, so a Ctrl-C inside malloc would crash.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&held, signal);
    pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_;
};

bool hasHeader(const std::string& folder) {
  std::error_code ignored;
  return std::filesystem::exists(folder + "/cuda_fp16.h", ignored);
}

// Searches next to the library (toolkits, distributions and Python wheels differ in layout), then the toolkit.
std::string includeFolder(const std::string& library) {
  if (const char* const given = std::getenv("TESSERA_CUDA_INCLUDE"); given != nullptr && given[0] != 0) return given;
  std::vector<std::string> folders;
  if (!library.empty())
    for (const char* const up : {"/../include", "/../../include", "/../../../include", "/../../cuda_runtime/include"})
      folders.push_back(library + up);
  for (const std::string& folder : toolkitFolders("include")) folders.push_back(folder);
  folders.emplace_back("/usr/include");
  for (const std::string& folder : folders)
    if (hasHeader(folder)) return folder;
  return "";
}

// Destroys the program in every case.
class ProgramHandle {
 public:
  explicit ProgramHandle(const NvrtcTable& table) : table_(table) {}
  ~ProgramHandle() {
    if (handle != nullptr) table_.destroy(&handle);
  }
  ProgramHandle(const ProgramHandle&) = delete;
  ProgramHandle& operator=(const ProgramHandle&) = delete;
  void* handle = nullptr;

 private:
  const NvrtcTable& table_;
};

using SizeOf = int (*)(void*, std::size_t*);
using Read = int (*)(void*, char*);
// Drops the terminating zero of the log and of PTX.
std::string textOf(void* program, SizeOf sizeOf, Read read) {
  std::size_t size = 0;
  if (sizeOf(program, &size) != 0 || size == 0) return "";
  std::string out(size, '\0');
  if (read(program, out.data()) != 0) return "";
  return out;
}
std::string withoutZero(std::string text) {
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

}  // namespace

std::vector<CompileError> errorsOf(std::string_view log) {
  std::vector<CompileError> out;
  for (std::string_view line : textLines(log)) {
    constexpr std::string_view kError = "error";
    const std::size_t at = line.find("): error");
    const std::size_t open = at == std::string_view::npos ? at : line.rfind('(', at);
    CompileError error;
    std::string_view rest;
    if (open != std::string_view::npos) {  // NAME(12): error: ..., NAME(12): error #20: ...
      error.line = static_cast<int>(wholeNumber(line.substr(open + 1, at - open - 1)).value_or(0));
      rest = line.substr(at + 3 + kError.size());
    } else if (const std::size_t ptxas = line.find("error   :"); line.starts_with("ptxas") && ptxas != line.npos) {
      rest = line.substr(ptxas + kError.size());
    } else if (line.starts_with("nvrtc: error:")) {
      rest = line.substr(12);
    } else {
      continue;
    }
    if (const std::size_t colon = rest.find(':'); colon != std::string_view::npos) rest.remove_prefix(colon + 1);
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    error.message = rest;
    out.push_back(error);
  }
  return out;
}

std::vector<Resources> resourcesOf(std::string_view log) {
  std::vector<Resources> out;
  for (const std::string_view line : textLines(log)) {
    if (line.find("Compiling entry function") != line.npos) out.push_back({std::string(between(line, "'", '\''))});
    if (out.empty()) continue;
    Resources& r = out.back();
    put(r.stackBytes, numberBefore(line, " bytes stack frame"));
    put(r.spillStores, numberBefore(line, " bytes spill stores"));
    put(r.spillLoads, numberBefore(line, " bytes spill loads"));
    put(r.registers, numberBefore(line, " registers"));
    put(r.barriers, numberBefore(line, " barriers"));
    put(r.sharedBytes, numberBefore(line, " bytes smem"));
  }
  return out;
}

Diag compileDiag(std::string_view log, std::string_view text, const std::vector<Span>& lines,
                 std::string_view architecture) {
  const std::vector<CompileError> errors = errorsOf(log);
  if (errors.empty())
    return {fmt::format("the CUDA compiler rejects the generated code for {}: {}", architecture,
                        log.empty() ? "it gives no reason" : log.substr(0, 2000)),
            "",
            "",
            {}};
  const CompileError& first = errors.front();
  const std::string more =
      errors.size() == 1 ? "" : fmt::format(" (and {} more error{})", errors.size() - 1, errors.size() == 2 ? "" : "s");
  const std::vector<std::string_view> all = textLines(text);
  const auto index = static_cast<std::size_t>(first.line) - 1;
  if (first.line < 1 || index >= all.size())
    return {fmt::format("the CUDA compiler rejects the generated code for {}: {}{}", architecture, first.message, more),
            "",
            "",
            {}};
  return {fmt::format("the CUDA compiler rejects line {} of the generated code for {}: {}{}\n  {} | {}", first.line,
                      architecture, first.message, more, first.line, all[index]),
          "", "tessera codegen prints the whole text", index < lines.size() ? lines[index] : Span{}};
}

int numberOf(std::string_view architecture) {
  const std::size_t bar = architecture.find('_');
  if (bar == std::string_view::npos) return 0;
  int value = 0;
  const char* const end = architecture.data() + architecture.size();
  const auto [stop, error] = std::from_chars(architecture.data() + bar + 1, end, value);
  return error == std::errc() && end - stop <= 1 ? value : 0;
}

LibraryPlace Nvrtc::place() {
  return {"CUDA's run-time compiler (NVRTC)",
          {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"},
          toolkitFolders("lib64"),
          "TESSERA_LIBNVRTC",
          "it comes with the CUDA toolkit"};
}

std::string Nvrtc::version() const { return fmt::format("{}.{}", major_, minor_); }

Result<Nvrtc> Nvrtc::open() {
  TESSERA_TRY(const DynamicLibrary library, DynamicLibrary::open(place()));
  auto table = std::make_shared<NvrtcTable>();
  TESSERA_CHECKED(library.fill(table->entries()));
  Nvrtc out;
  out.table_ = table;
  if (const int result = table->version(&out.major_, &out.minor_); result != 0)
    return Diag{fmt::format("{} does not start: {}", library.path(), table->errorText(result))};
  int count = 0;
  if (table->architectureCount(&count) == 0 && count > 0) {
    out.known_.resize(static_cast<std::size_t>(count));
    if (table->architectures(out.known_.data()) != 0) out.known_.clear();
    std::ranges::sort(out.known_);
  }
  out.include_ = includeFolder(library.folder());
  return out;
}

std::vector<std::string> Nvrtc::options(const std::string& architecture) const {
  std::vector<std::string> out = {"--gpu-architecture=" + architecture, "--std=c++17"};
  if (architecture.starts_with("sm_")) out.emplace_back("--ptxas-options=-v");
  if (!include_.empty()) out.push_back("--include-path=" + include_);
  return out;
}

Result<std::string> Nvrtc::target(const std::string& needed, const std::string& device) const {
  const int wants = numberOf(needed), has = numberOf(device);
  if (wants == 0) return Diag{fmt::format("'{}' is not an architecture", needed), "sm_80, sm_90a"};
  const bool exact = needed.back() < '0' || needed.back() > '9';  // sm_90a: no other device
  if (exact ? wants != has : wants > has)
    return Diag{fmt::format("the code is for {}, but this device is {}", needed, device),
                exact ? fmt::format("a device of {}", needed) : fmt::format("a device of {} or later", needed),
                exact ? "" : fmt::format("--arch {}", device)};
  if (exact) return needed;
  if (known_.empty() || std::ranges::binary_search(known_, has)) return device;
  if (has < known_.front())
    return Diag{
        fmt::format("NVRTC {} no longer compiles for {}: it knows {}", version(), device, fmt::join(known_, " ")),
        "an older NVRTC", "TESSERA_LIBNVRTC=/path/to/libnvrtc.so.12"};
  const auto above = std::upper_bound(known_.begin(), known_.end(), has);
  return fmt::format("compute_{}", *std::prev(above));
}

Result<Compiled> Nvrtc::compile(const std::string& text, const std::string& architecture,
                                const std::vector<Span>& lines, const std::vector<std::string>& extra) const {
  ProgramHandle program(*table_);
  if (const int result = table_->create(&program.handle, text.c_str(), kNvrtcName, 0, nullptr, nullptr); result != 0)
    return Diag{fmt::format("NVRTC does not accept the text: {}", table_->errorText(result))};
  std::vector<std::string> given = options(architecture);
  given.insert(given.end(), extra.begin(), extra.end());
  const auto list = mapped<const char*>(given, [](const std::string& s) { return s.c_str(); });
  const int result = [&] {
    const SignalsHeld held;
    return table_->compile(program.handle, static_cast<int>(list.size()), list.data());
  }();
  Compiled out{"", architecture, withoutZero(textOf(program.handle, table_->logSize, table_->log)), {}};
  if (result == kCompilation) {
    Diag diag = compileDiag(out.log, text, lines, architecture);
    if (include_.empty() && out.log.find("cuda_fp16.h") != std::string::npos)
      diag.hint =
          "the toolkit's headers were not found; TESSERA_CUDA_INCLUDE=/path/to/cuda/include sets their location";
    return diag;
  }
  if (result != 0)
    return Diag{fmt::format("NVRTC {} failed for {}: {}{}{}", version(), architecture, table_->errorText(result),
                            out.log.empty() ? "" : ": ", out.log.substr(0, 2000)),
                result == kInvalidOption ? fmt::format("one of sm_{}", fmt::join(known_, " sm_")) : "",
                result == kOutOfMemory ? "there is not enough memory on this machine" : ""};
  const bool cubin = architecture.starts_with("sm_");
  out.image = cubin ? textOf(program.handle, table_->cubinSize, table_->cubin)
                    : textOf(program.handle, table_->ptxSize, table_->ptx);
  if (out.image.empty()) return Diag{fmt::format("NVRTC returned no code for {}", architecture)};
  out.resources = resourcesOf(out.log);
  return out;
}

Result<Compiled> Nvrtc::compile(const codegen::CudaSource& source) const {
  TESSERA_TRY(Compiled out, compile(source.text, source.architecture, source.lines));
  for (Resources& r : out.resources)
    for (const codegen::Kernel& k : source.kernels)
      if (k.name == r.kernel) r.sharedBytes += static_cast<int>(k.dynamicBytes);
  return out;
}

}  // namespace tessera::measure
