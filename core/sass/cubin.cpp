#include "core/sass/cubin.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>

#include "core/base/work.h"

namespace tessera::sass {

namespace {

constexpr std::size_t kHeader = 64, kMostSections = 1 << 16;
constexpr std::uint16_t kCudaMachine = 190;

template <typename T>
T numberAt(std::string_view bytes, std::uint64_t at) {
  T out{};
  if (at <= bytes.size() && sizeof(T) <= bytes.size() - at) std::memcpy(&out, bytes.data() + at, sizeof(T));
  return out;
}

struct Section {
  std::string_view name, content;
  std::uint32_t type = 0, link = 0;
  std::uint64_t offset = 0, size = 0;
};
constexpr std::uint32_t kNoBits = 8;

std::string_view textAt(std::string_view bytes, std::uint64_t at) {
  if (at >= bytes.size()) return {};
  bytes.remove_prefix(at);
  return bytes.substr(0, std::min(bytes.find('\0'), bytes.size()));
}

std::vector<Section> sectionsOf(std::string_view bytes) {
  std::vector<Section> out;
  const auto table = numberAt<std::uint64_t>(bytes, 40);
  const std::size_t size = numberAt<std::uint16_t>(bytes, 58), count = numberAt<std::uint16_t>(bytes, 60);
  const std::size_t names = numberAt<std::uint16_t>(bytes, 62);
  if (size < 64 || count > kMostSections || table > bytes.size()) return out;
  for (std::size_t k = 0; k < count; ++k) {
    spend();
    const std::uint64_t at = table + k * size;
    Section s;
    s.type = numberAt<std::uint32_t>(bytes, at + 4);
    s.offset = numberAt<std::uint64_t>(bytes, at + 24);
    s.size = numberAt<std::uint64_t>(bytes, at + 32);
    s.link = numberAt<std::uint32_t>(bytes, at + 40);
    if (s.type != kNoBits && s.offset <= bytes.size() && s.size <= bytes.size() - s.offset)
      s.content = bytes.substr(s.offset, s.size);
    out.push_back(s);
  }
  if (names >= out.size()) return {};
  const std::string_view text = out[names].content;
  for (std::size_t k = 0; k < count; ++k) out[k].name = textAt(text, numberAt<std::uint32_t>(bytes, table + k * size));
  return out;
}

}  // namespace

bool isCubin(std::string_view bytes) {
  return bytes.size() >= kHeader &&
         bytes.starts_with(
             "\x7f"
             "ELF\x02\x01") &&
         numberAt<std::uint16_t>(bytes, 18) == kCudaMachine;
}

std::vector<CubinKernel> cubinOf(std::string_view bytes) {
  if (!isCubin(bytes)) return {};
  const std::vector<Section> sections = sectionsOf(bytes);
  std::map<std::string_view, CubinKernel> kernels;
  std::string_view symbols, names;
  for (const Section& s : sections) {
    if (s.name.starts_with(".text.")) kernels[s.name.substr(6)].name = std::string(s.name.substr(6));
    if (s.name != ".symtab") continue;
    symbols = s.content;
    if (s.link < sections.size()) names = sections[s.link].content;
  }
  const auto kernelOf = [&](std::uint32_t symbol) -> CubinKernel* {
    const auto at = kernels.find(textAt(names, numberAt<std::uint32_t>(symbols, std::uint64_t{symbol} * 24)));
    return at == kernels.end() ? nullptr : &at->second;
  };
  for (const Section& s : sections) {
    if (s.name.starts_with(".nv.shared.") && kernels.count(s.name.substr(11)) != 0)
      kernels[s.name.substr(11)].sharedBytes = static_cast<i64>(std::min<std::uint64_t>(s.size, 1U << 30));
    if (s.name != ".nv.info") continue;
    for (std::size_t at = 0; at + 4 <= s.content.size();) {
      spend();
      const auto format = static_cast<unsigned char>(s.content[at]),
                 what = static_cast<unsigned char>(s.content[at + 1]);
      const std::size_t size = format == 4 ? numberAt<std::uint16_t>(s.content, at + 2) : 0;
      at += 4;
      if (size >= 8 && at + 8 <= s.content.size())
        if (CubinKernel* kernel = kernelOf(numberAt<std::uint32_t>(s.content, at)); kernel != nullptr) {
          const auto value = numberAt<std::uint32_t>(s.content, at + 4);
          if (what == 0x2f) kernel->registers = static_cast<int>(std::min(value, 1024U));
          if (what == 0x11) kernel->localBytes = value;
        }
      at += size;
    }
  }
  std::vector<CubinKernel> out;
  for (auto& [name, kernel] : kernels) out.push_back(std::move(kernel));
  return out;
}

std::vector<std::string_view> cubinsIn(std::string_view bytes) {
  std::vector<std::string_view> out;
  for (std::size_t at = bytes.find("\x7f"
                                   "ELF");
       at != bytes.npos; at = bytes.find("\x7f"
                                         "ELF",
                                         at + 4)) {
    spend();
    const std::string_view rest = bytes.substr(at);
    if (!isCubin(rest)) continue;
    // It ends with the table of sections or with the program headers.
    const auto end = [&](std::uint64_t table, std::uint64_t entry, std::uint64_t count) {
      return table <= rest.size() ? table + entry * count : rest.size() + 1;
    };
    const std::uint64_t size = std::max(
        {end(numberAt<std::uint64_t>(rest, 40), numberAt<std::uint16_t>(rest, 58), numberAt<std::uint16_t>(rest, 60)),
         end(numberAt<std::uint64_t>(rest, 32), numberAt<std::uint16_t>(rest, 54), numberAt<std::uint16_t>(rest, 56))});
    if (size <= rest.size()) out.push_back(rest.substr(0, size));
  }
  return out;
}

}  // namespace tessera::sass
