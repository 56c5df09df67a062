#include "core/ptx/file/images.h"

#include <algorithm>

namespace tessera::ptx {

namespace {

constexpr std::size_t kMostText = 256u << 20;
constexpr std::size_t kMostImages = 4096;

// The little-endian number of `width` bytes at `at`; the caller has checked the end.
u64 numberAt(std::string_view bytes, std::size_t at, std::size_t width) {
  u64 out = 0;
  for (std::size_t k = width; k-- > 0;) out = out << 8 | static_cast<unsigned char>(bytes[at + k]);
  return out;
}

// The header of an image: its kind, and where its bytes are.
constexpr std::size_t kHeader = 64;
constexpr u64 kLz4 = 0x2000, kZstd = 0x8000;

void add(std::vector<Image>& out, std::string_view header, std::string_view inside, const Unpack& zstd) {
  const u64 kind = numberAt(header, 0, 2), flags = numberAt(header, 40, 8);
  Image image;
  image.architecture = static_cast<int>(numberAt(header, 28, 4) % 1000);
  if (kind != 1) {
    image.kind = Image::Kind::MachineCode;
    out.push_back(std::move(image));
    return;
  }
  if ((flags & (kLz4 | kZstd)) != 0) {
    const std::size_t packed = std::min<std::size_t>(numberAt(header, 16, 4), inside.size());
    const u64 size = numberAt(header, 56, 8);
    std::optional<std::string> text;
    if (size <= kMostText) {
      if ((flags & kLz4) != 0)
        text = unpackedLz4(inside.substr(0, packed), size);
      else if (zstd)
        text = zstd(inside.substr(0, packed), size);
    }
    image.kind = text ? Image::Kind::Ptx : Image::Kind::Packed;
    if (text) image.text = *std::move(text);
  } else {
    image.text = inside;
  }
  image.text.resize(std::min(image.text.find('\0'), image.text.size()));
  out.push_back(std::move(image));
}

}  // namespace

std::vector<Image> imagesIn(std::string_view bytes, const Unpack& zstd) {
  constexpr std::string_view kMagic = "\x50\xed\x55\xba";
  std::vector<Image> out;
  for (std::size_t at = bytes.find(kMagic); at != std::string_view::npos; at = bytes.find(kMagic, at + 4)) {
    if (bytes.size() - at < 16) break;
    const std::size_t head = numberAt(bytes, at + 6, 2);
    const u64 size = numberAt(bytes, at + 8, 8);
    if (head < 16 || head > bytes.size() - at || size > bytes.size() - at - head) continue;
    std::string_view rest = bytes.substr(at + head, size);
    while (rest.size() >= kHeader && out.size() < kMostImages) {
      const std::size_t own = numberAt(rest, 4, 4);
      const u64 inside = numberAt(rest, 8, 8);
      if (own < kHeader || own > rest.size() || inside > rest.size() - own) break;
      add(out, rest.substr(0, own), rest.substr(own, inside), zstd);
      rest.remove_prefix(own + inside);
    }
  }
  return out;
}

std::optional<std::string> unpackedLz4(std::string_view bytes, std::size_t size) {
  if (size > kMostText) return std::nullopt;
  std::string out;
  out.reserve(std::min(size, bytes.size() * 256));
  std::size_t at = 0;
  // A length of 15 continues with bytes, the last of which is below 255.
  const auto length = [&](std::size_t first) -> std::optional<std::size_t> {
    std::size_t all = first;
    if (first != 15) return all;
    while (true) {
      if (at >= bytes.size() || all > size) return std::nullopt;
      const auto more = static_cast<unsigned char>(bytes[at++]);
      all += more;
      if (more != 255) return all;
    }
  };
  while (at < bytes.size()) {
    const auto token = static_cast<unsigned char>(bytes[at++]);
    const auto literals = length(token >> 4);
    if (!literals || *literals > bytes.size() - at || *literals > size - out.size()) return std::nullopt;
    out.append(bytes.substr(at, *literals));
    at += *literals;
    if (at == bytes.size()) break;
    if (bytes.size() - at < 2) return std::nullopt;
    const std::size_t back = numberAt(bytes, at, 2);
    at += 2;
    const auto copied = length(token & 15U);
    if (!copied || back == 0 || back > out.size() || *copied + 4 > size - out.size()) return std::nullopt;
    for (std::size_t k = 0; k < *copied + 4; ++k) out.push_back(out[out.size() - back]);
  }
  if (out.size() != size) return std::nullopt;
  return out;
}

}  // namespace tessera::ptx
