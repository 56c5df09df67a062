#include "host_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace tessera::host_check {
namespace {

// Pointers come from the file, each between two stretches of canaries, and go back to it; sizes from the command line.
constexpr const char* kMain = R"(
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>
#include <unistd.h>

template <class T>
T argument(void* at) {
  if constexpr (std::is_pointer_v<T>) return static_cast<T>(at);
  else if constexpr (std::is_same_v<T, tessera::TensorMap>) return *static_cast<T*>(at);
  else return static_cast<T>(*static_cast<int*>(at));
}
template <class... P, std::size_t... I>
void callWith(void (*kernel)(P...), void** arguments, std::index_sequence<I...>) {
  kernel(argument<P>(arguments[I])...);
}
template <class... P>
bool call(void (*kernel)(P...), const std::vector<void*>& given) {
  if (given.size() != sizeof...(P)) return false;
  std::vector<void*> arguments = given;
  callWith(kernel, arguments.data(), std::index_sequence_for<P...>());
  return true;
}
using Run = bool (*)(const std::vector<void*>&);
const std::vector<Run> kKernels = {
%KERNELS%};

struct Buffer {
  static constexpr std::size_t kEdge = 256;
  std::vector<unsigned char> bytes;
  std::size_t size = 0, begin = 0, number = 0;
  // A NaN of every type, another one in each buffer: what is read beyond one and written beyond the other is seen.
  unsigned char canary(std::size_t at) const { return static_cast<unsigned char>(at % 2 != 0 ? 0xff : 0xff - number % 15); }
  void read(std::istream& in, std::size_t its) {
    number = its;
    std::uint64_t n = 0;
    in.read(reinterpret_cast<char*>(&n), 8);
    size = n;
    bytes.assign(n + 3 * kEdge, 0xff);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = canary(i);
    begin = kEdge + (kEdge - reinterpret_cast<std::uintptr_t>(bytes.data()) % kEdge) % kEdge;
    in.read(reinterpret_cast<char*>(bytes.data() + begin), static_cast<std::streamsize>(n));
  }
  void write(std::ostream& out) const {
    const std::uint64_t n = size;
    out.write(reinterpret_cast<const char*>(&n), 8);
    out.write(reinterpret_cast<const char*>(bytes.data() + begin), static_cast<std::streamsize>(n));
  }
  bool whole() const {
    for (std::size_t i = 0; i < bytes.size(); ++i)
      if ((i < begin || i >= begin + size) && bytes[i] != canary(i)) return false;
    return true;
  }
};

tessera::TensorMap mapOf(const char* word, const unsigned char* start) {
  tessera::TensorMap map;
  char* at = nullptr;
  map.start = start;
  map.bytes = static_cast<int>(std::strtol(word, &at, 10) / 8);
  map.bits = static_cast<int>(std::strtol(at + 1, &at, 10));
  for (map.rank = 0; *at == '/' && map.rank < 5; ++map.rank) {
    map.extents[map.rank] = std::strtol(at + 1, &at, 10);
    map.strides[map.rank] = std::strtol(at + 1, &at, 10);
    map.box[map.rank] = std::strtol(at + 1, &at, 10);
  }
  return map;
}

// kernel blocks threads order file buffers, a map or - for each, sizes...
int main(int count, char** words) {
  if (count < 7) return 2;
  alarm(300);
  const std::string file = words[5];
  std::vector<Buffer> buffers(std::strtoul(words[6], nullptr, 10));
  std::vector<int> sizes;
  const int first = 7 + static_cast<int>(buffers.size());
  for (int i = first; i < count; ++i) sizes.push_back(std::atoi(words[i]));
  std::vector<tessera::TensorMap> maps(buffers.size());
  std::vector<void*> arguments;
  {
    std::ifstream in(file, std::ios::binary);
    for (std::size_t i = 0; i < buffers.size(); ++i) buffers[i].read(in, i);
  }
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    unsigned char* start = buffers[i].bytes.data() + buffers[i].begin;
    const char* word = words[7 + i];
    if (*word != '-') maps[i] = mapOf(word, start);
    arguments.push_back(*word == '-' ? static_cast<void*>(start) : &maps[i]);
  }
  for (int& s : sizes) arguments.push_back(&s);
  const Run run = kKernels[std::strtoul(words[1], nullptr, 10)];
  bool fits = true;
  const std::string wrong = tessera::host::launch(
      static_cast<unsigned>(std::atoi(words[2])), static_cast<unsigned>(std::atoi(words[3])),
      [&] { fits = run(arguments) && fits; }, static_cast<unsigned>(std::atoi(words[4])));
  std::string message = fits ? wrong : "the kernel has another number of parameters";
  for (std::size_t i = 0; i < buffers.size(); ++i)
    if (message.empty() && !buffers[i].whole()) message = "writes beyond parameter " + std::to_string(i);
  std::ofstream out(file, std::ios::binary);
  for (const Buffer& b : buffers) b.write(out);
  std::fputs(message.c_str(), stderr);
  return message.empty() ? 0 : 3;
}
)";

std::string contents(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

void writeFile(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// Every text includes the header; kernels of two texts may have the same name, so each gets the text's number.
std::string mainOf(const std::vector<HostText>& texts) {
  std::string out = "#include \"tessera_host.h\"\n", table;
  for (std::size_t t = 0; t < texts.size(); ++t) {
    for (const std::string& k : texts[t].kernels) out += fmt::format("#define {} text{}_{}\n", k, t, k);
    out += fmt::format("#include \"text{}.cu\"\n", t);
    for (const std::string& k : texts[t].kernels) {
      out += fmt::format("#undef {}\n", k);
      table += fmt::format("  [](const std::vector<void*>& a) {{ return call(text{}_{}, a); }},\n", t, k);
    }
  }
  std::string rest = kMain;
  return out + rest.replace(rest.find("%KERNELS%"), 9, table);
}

}  // namespace

std::string hostCompiler() {
  static const std::string found = [] {
    const char* own = std::getenv("CXX");
    for (const std::string& name :
         {std::string(own == nullptr ? "" : own), std::string("c++"), std::string("g++"), std::string("clang++")})
      if (!name.empty() && std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0) return name;
    return std::string();
  }();
  return found;
}

HostProgram::HostProgram(const std::vector<HostText>& texts) {
  std::string pattern = (std::filesystem::temp_directory_path() / "tessera_host_XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    messages_ = "no temporary folder";
    return;
  }
  folder_ = pattern;
  for (std::size_t t = 0; t < texts.size(); ++t) writeFile(folder_ / fmt::format("text{}.cu", t), texts[t].text);
  writeFile(folder_ / "main.cpp", mainOf(texts));
  const std::string command = fmt::format(
      "{} -std=c++17 -O1 -ffp-contract=off -fno-strict-aliasing -fsanitize=signed-integer-overflow,float-cast-overflow "
      "-fno-sanitize-recover=all -Wall -Wextra -Wno-unknown-pragmas -I'{}' '{}' "
      "-o '{}' > '{}' 2>&1",
      hostCompiler(), TESSERA_SOURCE_DIR "/assets/codegen", (folder_ / "main.cpp").string(), (folder_ / "run").string(),
      (folder_ / "messages").string());
  built_ = std::system(command.c_str()) == 0;
  messages_ = contents(folder_ / "messages");
  kernels_.reserve(texts.size());
  std::size_t next = 0;
  for (const HostText& t : texts) {
    kernels_.push_back(next);
    next += t.kernels.size();
  }
}

HostProgram::~HostProgram() {
  std::error_code ignored;
  if (!folder_.empty() && std::getenv("TESSERA_KEEP") == nullptr) std::filesystem::remove_all(folder_, ignored);
}

HostRun HostProgram::run(const HostLaunch& launch, const std::vector<Bytes>& buffers) const {
  const std::filesystem::path data = folder_ / "data", error = folder_ / "error";
  {
    std::ofstream out(data, std::ios::binary);
    for (const Bytes& b : buffers) {
      const std::uint64_t n = b.size();
      out.write(reinterpret_cast<const char*>(&n), 8);
      out.write(reinterpret_cast<const char*>(b.data()), static_cast<std::streamsize>(n));
    }
  }
  std::string command =
      fmt::format("'{}' {} {} {} {} '{}' {}", (folder_ / "run").string(), kernels_[launch.text] + launch.kernel,
                  launch.blocks, launch.threads, launch.order, data.string(), buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i) command += i < launch.maps.size() ? " " + launch.maps[i] : " -";
  for (const int size : launch.sizes) command += fmt::format(" {}", size);
  const int status = std::system(fmt::format("{} 2> '{}'", command, error.string()).c_str());
  HostRun out;
  out.wrong = contents(error);
  if (status != 0 && out.wrong.empty()) out.wrong = fmt::format("ended with status {}", status);
  std::ifstream in(data, std::ios::binary);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    std::uint64_t n = 0;
    in.read(reinterpret_cast<char*>(&n), 8);
    if (!in || n != buffers[i].size()) break;
    Bytes& b = out.buffers.emplace_back(n);
    in.read(reinterpret_cast<char*>(b.data()), static_cast<std::streamsize>(n));
  }
  return out;
}

}  // namespace tessera::host_check
