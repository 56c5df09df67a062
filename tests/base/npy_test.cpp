// .npy files: the laws of readNpy and writeNpy, every order and byte order against a plain loop, and damaged files.
#include "core/base/npy.h"

#include <catch2/catch.hpp>
#include <random>

using namespace tessera;

namespace {

// A file as NEP 1 describes it.
std::string npyFile(int version, const std::string& header, const std::string& data) {
  std::string out = "\x93NUMPY";
  out += static_cast<char>(version);
  out += '\0';
  for (int k = 0; k < (version == 1 ? 2 : 4); ++k) out += static_cast<char>(header.size() >> (8 * k) & 0xff);
  return out + header + data;
}
std::string npyHeader(const std::string& descr, bool fortran, const std::string& shape) {
  return "{'descr': " + descr + ", 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }\n";
}
std::string counting(std::size_t n) {
  std::string out;
  for (std::size_t k = 0; k < n; ++k) out += static_cast<char>(k * 7 + 1);
  return out;
}

}  // namespace

TEST_CASE("an array is written and read") {
  const std::vector<std::string> descrs = {"<f4", "|u1", "|b1", "<f2",
                                           "<c8", "<i8", "|V2", "[('x', '<f4'), ('y', '<i2', (3,))]"};
  const std::vector<std::vector<i64>> shapes = {{}, {0}, {1}, {5}, {2, 3}, {2, 0, 3}, {2, 3, 4}};
  for (const std::string& descr : descrs) {
    for (const std::vector<i64>& shape : shapes) {
      Npy array{descr, shape, {}};
      array.bytes = counting(static_cast<std::size_t>(array.count() * array.itemBytes()));
      const std::string file = writeNpy(array);
      CHECK((file.size() - array.bytes.size()) % 64 == 0);
      const auto read = readNpy(file);
      INFO(descr << (read ? "" : read.error().message));
      REQUIRE(read.ok());
      CHECK((*read == array));
    }
  }
  CHECK(itemBytesOf("[('x', '<f4'), ('y', '<i2', (3,))]") == 10);
  CHECK(itemBytesOf("<U5") == 20);
  CHECK(itemBytesOf("<M8[ns]") == 8);
  CHECK(itemBytesOf("|O") == 0);
}

TEST_CASE("the versions of the format, and Fortran order") {
  const std::string data = counting(48);
  for (const int version : {1, 2, 3}) {
    const auto read = readNpy(npyFile(version, npyHeader("'<i2'", true, "(2, 3, 4)"), data));
    REQUIRE(read.ok());
    // Element (i, j, k) of Fortran order is i + 2 j + 6 k.
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        for (std::size_t k = 0; k < 4; ++k)
          CHECK(read->bytes.substr(2 * (i * 12 + j * 4 + k), 2) == data.substr(2 * (i + 2 * j + 6 * k), 2));
  }
}

TEST_CASE("big-endian numbers are turned") {
  const auto f4 = readNpy(npyFile(1, npyHeader("'>f4'", false, "(2,)"), std::string("\x3f\x80\0\0\x40\0\0\0", 8)));
  REQUIRE(f4.ok());
  CHECK(f4->descr == "<f4");
  CHECK(f4->bytes == std::string("\0\0\x80\x3f\0\0\0\x40", 8));
  const auto c8 = readNpy(npyFile(1, npyHeader("'>c8'", false, "()"), std::string("\1\2\3\4\5\6\7\x8", 8)));
  REQUIRE(c8.ok());
  CHECK(c8->bytes == std::string("\4\3\2\1\x8\7\6\5", 8));
}

TEST_CASE("what is no array is refused with the edit that helps") {
  CHECK(readNpy("PK\3\4").error().message == "this is an .npz archive, not an array");
  CHECK(readNpy("hello").error().message == "this is not a .npy file");
  CHECK(readNpy("\x93NUMPY\7").error().message == "this .npy file has version 7.0");
  CHECK(readNpy(npyFile(1, npyHeader("'|O'", false, "(2,)"), "")).error().message ==
        "elements of type |O cannot be read");
  CHECK(readNpy(npyFile(1, npyHeader("'<f4'", false, "(2,)"), "1234567")).error().message ==
        "this .npy file ends inside its data: it has 7 bytes of 8");
  CHECK_FALSE(readNpy(npyFile(1, npyHeader("'<f4'", false, "(1000000000, 1000000000)"), "")).ok());
  CHECK_FALSE(readNpy(npyFile(1, npyHeader("'<f4'", false, "(-1,)"), "")).ok());
}

TEST_CASE("damaged .npy files are read or refused") {
  std::mt19937 random(3);
  const std::string whole = writeNpy({"[('x', '<f4'), ('y', '<i2')]", {2, 3}, counting(36)});
  for (int round = 0; round < 2000; ++round) {
    std::string file = whole;
    if (round % 3 == 0) file.resize(random() % file.size());
    for (int k = 0; k < 3 && file.size() > 10; ++k)
      file[6 + random() % (file.size() - 6)] = static_cast<char>(random());
    if (const auto read = readNpy(file)) CHECK(read->bytes.size() <= file.size());
  }
}
