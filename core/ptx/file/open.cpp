#include "core/ptx/open.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/cursor.h"
#include "core/ptx/file/images.h"

namespace tessera::ptx {

namespace {

constexpr std::string_view kVersion = ".version";

bool isBinary(std::string_view bytes) { return bytes.substr(0, 4096).find('\0') != std::string_view::npos; }

// The path as an argument of a shell.
std::string shellWord(std::string_view name) {
  const bool plain = std::all_of(name.begin(), name.end(),
                                 [](char c) { return isNamePart(c) || c == '.' || c == '/' || c == '-' || c == '+'; });
  if (plain && !name.empty()) return std::string(name);
  std::string out = "'";
  for (const char c : name) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

void appendCodePoint(std::string& out, u64 point) {
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xc0U | point >> 6);
    out += static_cast<char>(0x80U | (point & 0x3fU));
  } else {
    out += static_cast<char>(0xe0U | point >> 12);
    out += static_cast<char>(0x80U | (point >> 6 & 0x3fU));
    out += static_cast<char>(0x80U | (point & 0x3fU));
  }
}

// The number of exactly `digits` hexadecimal digits at `at`; nullopt if they are not there.
std::optional<u64> hexAt(std::string_view text, std::size_t at, std::size_t digits) {
  u64 out = 0;
  for (std::size_t k = 0; k < digits; ++k) {
    const char c = at + k < text.size() ? lowerCase(text[at + k]) : '\0';
    if (!isDigit(c) && (c < 'a' || c > 'f')) return std::nullopt;
    out = out * 16 + static_cast<u64>(isDigit(c) ? c - '0' : c - 'a' + 10);
  }
  return out;
}

// The string literal of Python or JSON whose quote is at `open`, with its escapes replaced. `end`: after it.
std::string literalAt(std::string_view text, std::size_t open, std::size_t& end) {
  std::string quote(1, text[open]);
  if (text.substr(open, 3) == std::string(3, text[open])) quote = std::string(3, text[open]);
  std::string out;
  std::size_t at = open + quote.size();
  while (at < text.size() && text.substr(at, quote.size()) != quote) {
    const char c = text[at++];
    if (c != '\\' || at >= text.size()) {
      out += c;
      continue;
    }
    const char escaped = text[at++];
    if (escaped == 'n') {
      out += '\n';
    } else if (escaped == 't') {
      out += '\t';
    } else if (escaped == 'r') {
      out += '\r';
    } else if (escaped == 'x' || escaped == 'u') {
      const std::size_t digits = escaped == 'x' ? 2 : 4;
      const auto point = hexAt(text, at, digits);
      if (point) at += digits;
      appendCodePoint(out, point.value_or('?'));
    } else if (escaped != '\n') {  // an escaped line end joins lines
      out += escaped;
    }
  }
  end = std::min(at + quote.size(), text.size());
  return out;
}

// The first string literal that holds PTX with escapes.
std::optional<std::string> quotedPtx(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    at = text.find_first_of("\"'", at);
    if (at == std::string_view::npos) break;
    std::size_t end = at;
    std::string inside = literalAt(text, at, end);
    const std::size_t version = inside.find(kVersion);
    if (version != std::string::npos && inside.find(".target", version) != std::string::npos) return inside;
    at = std::max(end, at + 1);
  }
  return std::nullopt;
}

// Where a line begins with .version; npos: none does.
std::size_t versionLine(std::string_view text, std::size_t from = 0) {
  for (std::size_t at = text.find(kVersion, from); at != std::string_view::npos; at = text.find(kVersion, at + 1)) {
    std::size_t line = at;
    while (line > 0 && (text[line - 1] == ' ' || text[line - 1] == '\t')) --line;
    if (line == 0 || text[line - 1] == '\n') return at;
  }
  return std::string_view::npos;
}

Result<Found> newest(std::vector<Image> images, std::string_view name) {
  std::stable_sort(images.begin(), images.end(),
                   [](const Image& a, const Image& b) { return a.architecture > b.architecture; });
  const auto of = [&](Image::Kind kind) {
    return std::find_if(images.begin(), images.end(), [kind](const Image& i) { return i.kind == kind; });
  };
  const auto count =
      std::count_if(images.begin(), images.end(), [](const Image& i) { return i.kind != Image::Kind::MachineCode; });
  if (const auto found = of(Image::Kind::Ptx); found != images.end()) {
    std::string from = fmt::format("PTX for sm_{}", found->architecture);
    if (count > 1) from += fmt::format(", the newest of {} in this file", count);
    return Found{std::move(found->text), std::move(from)};
  }
  const std::string command = fmt::format("cuobjdump -ptx {} > kernel.ptx", shellWord(name));
  if (of(Image::Kind::Packed) != images.end())
    return Diag{"the PTX in this file is compressed with zstd, and there is no libzstd here", "PTX text", command};
  const int architecture = images.empty() ? 80 : images.front().architecture;
  return Diag{
      fmt::format("this file has machine code{} but no PTX",
                  images.empty() ? "" : fmt::format(" for sm_{}", architecture)),
      "PTX text",
      fmt::format("nvcc -gencode arch=compute_{0},code=compute_{0} keeps PTX in the file; nvcc -arch=sm_{0} -ptx "
                  "writes it as text",
                  architecture)};
}

}  // namespace

bool isCudaSource(std::string_view bytes, std::string_view name) {
  if (name.ends_with(".cu") || name.ends_with(".cuh")) return true;
  return !isBinary(bytes) && versionLine(bytes) == std::string_view::npos &&
         bytes.find("__global__") != std::string_view::npos;
}

Result<Found> ptxIn(std::string_view bytes, std::string_view name, const Unpack& zstd) {
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
  // A text kept as a C string ends with a zero.
  const std::string_view whole = bytes.substr(0, bytes.find_last_not_of('\0') + 1);
  if (!isBinary(whole) && whole.find(kVersion) != std::string_view::npos) bytes = whole;
  if (isBinary(bytes)) {
    std::vector<Image> images = imagesIn(bytes, zstd);
    const bool none =
        std::none_of(images.begin(), images.end(), [](const Image& i) { return i.kind != Image::Kind::MachineCode; });
    // PTX kept as a string, for a program that compiles it at run time.
    const std::size_t at = none ? versionLine(bytes) : std::string_view::npos;
    if (at != std::string_view::npos && bytes.substr(at, 200).find(".target") != std::string_view::npos)
      return Found{std::string(bytes.substr(at, bytes.find('\0', at) - at)), "a string in this file"};
    const bool known = !images.empty() || bytes.starts_with(
                                              "\x7f"
                                              "ELF");
    if (!known) return Diag{"this is neither PTX nor a file of machine code", "PTX text, a cubin or a fatbin"};
    return newest(std::move(images), name);
  }
  if (isCudaSource(bytes, name))
    return Diag{"this is CUDA C++, not PTX", "PTX text",
                fmt::format("nvcc -arch=sm_90a -lineinfo -ptx {} -o kernel.ptx", shellWord(name))};
  Cursor in(bytes, {.lineComments = true, .blockComments = true});
  in.skipBlanks();
  if (bytes.substr(in.position()).starts_with(kVersion)) {
    // cuobjdump prints several texts one after the other; a single one is kept as it is.
    return Found{std::string(bytes), ""};
  }
  if (const std::size_t at = versionLine(bytes); at != std::string_view::npos) {
    const std::string_view rest = bytes.substr(at);
    const std::size_t next = std::min(rest.find("\nFatbin "), rest.size());
    return Found{std::string(rest.substr(0, next)), "the first PTX text in this file"};
  }
  if (auto text = quotedPtx(bytes)) return Found{*std::move(text), "a quoted text in this file"};
  return Found{std::string(bytes), ""};
}

}  // namespace tessera::ptx
