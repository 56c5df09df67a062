// Changes by other programs are detected, and nothing else is taken for a change.
#include "app/files/file_stamp.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "app/files/write_file.h"
#include "tests/files/folder.h"

using namespace tessera;
namespace fs = std::filesystem;
using What = DiskLook::What;

namespace {

constexpr std::size_t kLimit = 1000;

// Another time of change than before, without waiting for the clock.
void touchAt(const std::string& path, time_t seconds) {
  const timespec times[2] = {{seconds, 0}, {seconds, 0}};
  REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
}

}  // namespace

TEST_CASE("the same bytes are the same file, however they came there") {
  const TestFolder folder;
  const std::string path = folder / "a.tess";
  putFile(path, "mine");
  const auto seen = readStamped(path, kLimit);
  REQUIRE(seen.ok());
  CHECK(seen->bytes == "mine");
  CHECK(lookAgain(path, seen->stamp, kLimit).what == What::Same);
  touchAt(path, 1000);
  const DiskLook touched = lookAgain(path, seen->stamp, kLimit);
  CHECK(touched.what == What::Same);
  CHECK(touched.now.stamp != seen->stamp);
  fs::rename(path, folder / "b");
  fs::copy_file(folder / "b", path);
  CHECK(lookAgain(path, seen->stamp, kLimit).what == What::Same);
  fs::remove(path);
  fs::create_symlink("b", path);
  CHECK(lookAgain(path, seen->stamp, kLimit).what == What::Same);
}

TEST_CASE("other bytes are a change, also of the same size and time; so is a file that went or cannot be read") {
  const TestFolder folder;
  const std::string path = folder / "a.tess";
  putFile(path, "mine");
  touchAt(path, 1000);
  const auto seen = readStamped(path, kLimit);
  REQUIRE(writeWhole(path, "ours").ok());  // another inode
  touchAt(path, 1000);
  const DiskLook changed = lookAgain(path, seen->stamp, kLimit);
  CHECK(changed.what == What::Changed);
  CHECK(changed.now.bytes == "ours");
  fs::remove(path);
  CHECK(lookAgain(path, seen->stamp, kLimit).what == What::Deleted);
  CHECK(lookAgain(path + "/x", seen->stamp, kLimit).what == What::Deleted);
  fs::create_directory(path);
  CHECK(lookAgain(path, seen->stamp, kLimit).what == What::Unreadable);
  fs::remove(path);
  putFile(path, std::string(kLimit + 1, 'x'));
  const DiskLook large = lookAgain(path, seen->stamp, kLimit);
  CHECK(large.what == What::Unreadable);
  CHECK(large.why == path + " has 1001 bytes; a worksheet has at most 1000");
}

TEST_CASE("only a regular file is read, and a pipe that nobody writes to is not waited for") {
  const TestFolder folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  for (const std::string& path : {folder / "pipe", std::string("/dev/zero"), folder.path(), folder / "missing"}) {
    INFO(path);
    CHECK_FALSE(readStamped(path, kLimit).ok());
  }
  CHECK(readStamped("/proc/self/status", 1 << 20)->bytes.size() > 100);  // says that it has no bytes
}

TEST_CASE("a file with several names is written under all of them, or under none") {
  const TestFolder folder;
  putFile(folder / "a", "an old text that is longer");
  ::chmod((folder / "a").c_str(), 0640);
  fs::create_hard_link(folder / "a", folder / "b");
  for (const std::string& text : {std::string("new"), std::string(100'000, 'x'), std::string()}) {
    REQUIRE(writeWhole(folder / "a", text, {.flushToDisk = true}).ok());
    CHECK(fileText(folder / "a") == text);
    CHECK(fileText(folder / "b") == text);
    CHECK(fs::equivalent(folder / "a", folder / "b"));
    CHECK((fs::status(folder / "a").permissions() & fs::perms::mask) == static_cast<fs::perms>(0640));
  }
  CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 2);
}
