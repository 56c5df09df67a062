// Files that hold PTX: text, quoted text, fat binaries (built here byte by byte), and files that hold none.
#include "core/ptx/open.h"

#include <catch2/catch.hpp>
#include <random>

#include "core/ptx/read.h"
#include "text.h"

using namespace tessera;

namespace {

const std::string kText = ".version 8.0\n.target sm_80\n.address_size 64\n.entry f() { ret; }\n";

std::string little(u64 value, int bytes) {
  std::string out;
  for (int k = 0; k < bytes; ++k) out += static_cast<char>(value >> (8 * k) & 0xff);
  return out;
}

// A header of 64 bytes as fatbinary writes it, and the image.
std::string image(int kind, int architecture, const std::string& inside, u64 flags = 0x11, std::size_t unpacked = 0) {
  std::string out = little(static_cast<u64>(kind), 2) + little(0x101, 2) + little(64, 4) + little(inside.size(), 8);
  out += little(flags == 0x11 ? 0 : inside.size(), 4) + little(0x40, 4) + little(0, 4);
  out +=
      little(static_cast<u64>(architecture), 4) + little(0, 8) + little(flags, 8) + little(0, 8) + little(unpacked, 8);
  REQUIRE(out.size() == 64);
  return out + inside;
}
std::string fatbin(const std::string& images) {
  return little(0xba55ed50u, 4) + little(1, 2) + little(16, 2) + little(images.size(), 8) + images;
}

// An LZ4 block with literals only: tokens of at most 14 bytes would need matches, so one long run of literals.
std::string literals(const std::string& text) {
  std::string out;
  out += static_cast<char>(0xf0);
  std::size_t rest = text.size() - 15;
  for (; rest >= 255; rest -= 255) out += static_cast<char>(0xff);
  out += static_cast<char>(rest);
  return out + text;
}

std::string found(const std::string& bytes, const std::string& name = "k") {
  const auto text = ptx::ptxIn(bytes, name);
  INFO((text ? "" : text.error().message));
  REQUIRE(text.ok());
  return text->text;
}
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? "\\n" : c == '"' ? "\\\"" : std::string(1, c);
  return out;
}

}  // namespace

TEST_CASE("PTX text opens as it is") {
  for (const std::string& text : {kText, "// a comment\n\n" + kText, ptx::test::everySyntax()})
    CHECK(found(text) == text);
  CHECK(found("\xef\xbb\xbf" + kText) == kText);
  CHECK(found(kText + '\0') == kText);
  CHECK(found("Fatbin ptx code:\n====\narch = sm_80\n\n" + kText + "\nFatbin ptx code:\n===\n" + kText) == kText);
}

TEST_CASE("quoted PTX opens: Python's repr, JSON, a string in a script") {
  CHECK(found("'" + escaped(kText) + "'") == kText);
  CHECK(found("\"" + escaped(kText) + "\"") == kText);
  CHECK(found("{\"cubin\": \"x\", \"ptx\": \"" + escaped(kText) + "\"}") == kText);
  CHECK(found("b'" + escaped(kText) + "'") == kText);
  CHECK(found("\"\\u002e" + escaped(kText).substr(1) + "\\x09\"") == kText + "\t");
}

TEST_CASE("fat binaries open: plain and LZ4; zstd needs a library") {
  const std::string other = kText + "// for sm_90\n";
  CHECK(found(fatbin(image(2, 80, "ELF....") + image(1, 80, kText + '\0'))) == kText);
  CHECK(found(fatbin(image(1, 80, kText) + image(1, 90, other))) == other);
  CHECK(found(std::string("\x7f"
                          "ELF\0\0\0",
                          7) +
              fatbin(image(1, 90, other)) + fatbin(image(1, 80, kText))) == other);
  CHECK(found(fatbin(image(1, 80, literals(kText), 0x2011, kText.size()))) == kText);
  const std::string packed = fatbin(image(1, 80, "(zstd)", 0x8011, kText.size()));
  CHECK(ptx::ptxIn(packed, "my file").error().hint == "cuobjdump -ptx 'my file' > kernel.ptx");
  const auto unpack = [](std::string_view bytes, std::size_t) -> std::optional<std::string> {
    CHECK(bytes == "(zstd)");
    return kText;
  };
  CHECK(ptx::ptxIn(packed, "k", unpack)->text == kText);
  CHECK(ptx::ptxIn(packed, "k", unpack)->from == "PTX for sm_80");
  CHECK(found(std::string("\x7f"
                          "ELF\0",
                          5) +
              "\n" + kText + '\0' + "x") == kText);
}

TEST_CASE("an LZ4 block copies from what it has written") {
  // "abcd" then 8 bytes from 4 back, then "x": token 0x44, literals, offset 4; token 0x10, literal.
  CHECK(ptx::unpackedLz4(std::string("\x44"
                                     "abcd\x04\x00\x10x",
                                     9),
                         13) == std::string("abcdabcdabcdx"));
  CHECK_FALSE(ptx::unpackedLz4(std::string("\x44"
                                           "abcd\x05\x00\x10x",
                                           9),
                               13));  // before the beginning
  CHECK_FALSE(ptx::unpackedLz4(std::string("\x44"
                                           "abcd\x04\x00\x10x",
                                           9),
                               12));
  CHECK_FALSE(ptx::unpackedLz4(std::string("\xff\xff\xff", 3), 13));
}

TEST_CASE("files without PTX are refused with the command that makes it") {
  CHECK(ptx::ptxIn("__global__ void f() {}", "a.txt").error().hint ==
        "nvcc -arch=sm_90a -lineinfo -ptx a.txt -o kernel.ptx");
  CHECK(ptx::isCudaSource("int x;", "a.cu"));
  CHECK_FALSE(ptx::isCudaSource(kText + "// __global__", "a.ptx"));
  CHECK(ptx::ptxIn(fatbin(image(2, 86, "ELF....")), "k").error().message ==
        "this file has machine code for sm_86 but no PTX");
  CHECK(ptx::ptxIn(std::string("\x7f"
                               "ELF\0\0",
                               6),
                   "k")
            .error()
            .message == "this file has machine code but no PTX");
  CHECK_FALSE(ptx::ptxIn(std::string("\0\1\2", 3), "k").ok());
}

TEST_CASE("damaged files are read or refused") {
  std::mt19937 random(7);
  const std::string whole = std::string(
                                "\x7f"
                                "ELF\0",
                                5) +
                            fatbin(image(2, 80, "ELF") + image(1, 80, literals(kText), 0x2011, kText.size())) +
                            fatbin(image(1, 90, kText));
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = whole;
    if (round % 2 == 0) bytes.resize(random() % bytes.size());
    for (int k = 0; k < 4 && !bytes.empty(); ++k) bytes[random() % bytes.size()] = static_cast<char>(random());
    (void)ptx::ptxIn(bytes, "k");
    (void)ptx::unpackedLz4(bytes, random() % 1000);
  }
  CHECK(found(whole) == kText);
}
