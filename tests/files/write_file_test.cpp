// After a write a file has either the old or the new text, special files stay unchanged, and no other file in the
// folder changes.
#include "app/files/write_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

using namespace tessera;
namespace fs = std::filesystem;

namespace {

// A new empty folder, removed at the end.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "tessera-files-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(path_)) found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  std::string path_;
};

void put(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }
std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
unsigned modeOf(const std::string& path) {
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  return info.st_mode & 07777U;
}

}  // namespace

TEST_CASE("a file has the bytes it was given, and the folder nothing else") {
  const Folder folder;
  for (const std::size_t size : {0U, 1U, 4096U, 1'000'000U}) {
    for (const bool flush : {false, true}) {
      const std::string bytes(size, '\0');
      REQUIRE(writeWhole(folder / "a", bytes, {.flushToDisk = flush}).ok());
      CHECK(read(folder / "a") == bytes);
      CHECK(folder.names() == std::vector<std::string>{"a"});
    }
  }
  CHECK(writeWhole(folder / std::string(255, 'n'), "x").ok());  // as long as a name can be
}

TEST_CASE("permissions: the user's own for a new file, the old one's for an old one") {
  const Folder folder;
  const mode_t before = ::umask(027);
  CHECK(writeWhole(folder / "new", "x").ok());
  ::umask(before);
  CHECK(modeOf(folder / "new") == 0640);
  for (const unsigned mode : {0600U, 0644U, 0755U, 0200U, 0666U}) {
    REQUIRE(::chmod((folder / "new").c_str(), mode) == 0);
    CHECK(writeWhole(folder / "new", "y").ok());
    CHECK(modeOf(folder / "new") == mode);
  }
}

TEST_CASE("what is read-only, missing or a folder is refused, and stays") {
  const Folder folder;
  put(folder / "kept", "old");
  ::chmod((folder / "kept").c_str(), 0444);
  fs::create_directory(folder / "sub");
  for (const bool through : {false, true}) {
    CHECK_FALSE(writeWhole(folder / "kept", "new", {.writeThrough = through}).ok());
    CHECK_FALSE(writeWhole(folder / "sub", "new", {.writeThrough = through}).ok());
    CHECK_FALSE(writeWhole(folder / "sub/", "new", {.writeThrough = through}).ok());
    CHECK_FALSE(writeWhole(folder / "missing/x", "new", {.writeThrough = through}).ok());
    CHECK_FALSE(writeWhole(folder / "kept/x", "new", {.writeThrough = through}).ok());
    CHECK_FALSE(writeWhole("", "new", {.writeThrough = through}).ok());
  }
  CHECK(read(folder / "kept") == "old");
  CHECK(folder.names() == std::vector<std::string>{"kept", "sub"});
  const Diag why = writeWhole(folder / "missing/x", "new").error();
  CHECK(why.message == "cannot write '" + (folder / "missing/x") + "': No such file or directory");
}

TEST_CASE("a pipe or a device is never replaced") {
  const Folder folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  fs::create_symlink(folder / "pipe", folder / "link");
  std::vector<std::string> specials = {folder / "pipe", folder / "link", "/dev/null", "/dev/fd/1"};
  for (const std::string& special : specials) {
    INFO(special);
    const Result<void> refused = writeWhole(special, "x");
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().message == "cannot write '" + special + "': it is not a regular file");
  }
  CHECK(fs::is_fifo(folder / "pipe"));
  CHECK(fs::is_character_file("/dev/null"));

  CHECK(writeWhole("/dev/null", "x", {.writeThrough = true}).ok());
  CHECK_FALSE(writeWhole("/dev/full", "x", {.writeThrough = true}).ok());
  for (const char* name : {"pipe", "link"}) {
    std::string heard;
    std::thread reader([&] { heard = read(folder / "pipe"); });
    CHECK(writeWhole(folder / name, "through", {.writeThrough = true}).ok());
    reader.join();
    CHECK(heard == "through");
  }
  CHECK(folder.names() == std::vector<std::string>{"link", "pipe"});
}

TEST_CASE("what a process has open is appended to, and keeps its name") {
  const Folder folder;
  put(folder / "log", "before ");
  const int file = ::open((folder / "log").c_str(), O_WRONLY | O_APPEND);
  REQUIRE(file >= 0);
  const std::string open = "/proc/self/fd/" + std::to_string(file);
  CHECK_FALSE(writeWhole(open, "x").ok());
  CHECK(writeWhole(open, "after", {.writeThrough = true}).ok());
  ::close(file);
  CHECK(read(folder / "log") == "before after");
}

TEST_CASE("what this process has open is written where it stands, and what comes behind it does not go over it") {
  const Folder folder;
  const int file = ::open((folder / "out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  REQUIRE(file >= 0);
  const std::string number = std::to_string(file);
  CHECK(writeWhole("/proc/self/fd/" + number, "one ", {.writeThrough = true}).ok());
  CHECK(::write(file, "two ", 4) == 4);
  CHECK(writeWhole("/dev/fd/" + number, "three ", {.writeThrough = true}).ok());
  CHECK(::write(file, "four", 4) == 4);
  ::close(file);
  CHECK(read(folder / "out") == "one two three four");
}

TEST_CASE("links are written through: the link stays, its file is new") {
  const Folder folder;
  fs::create_directory(folder / "far");
  put(folder / "far/file", "old");
  fs::create_symlink("far/file", folder / "relative");
  fs::create_symlink(folder / "far/file", folder / "absolute");
  fs::create_symlink("relative", folder / "twice");
  fs::create_symlink("far/born", folder / "dangling");
  for (const char* link : {"relative", "absolute", "twice"}) {
    CHECK(writeWhole(folder / link, link).ok());
    CHECK(fs::is_symlink(folder / link));
    CHECK(read(folder / "far/file") == link);
  }
  CHECK(writeWhole(folder / "dangling", "born").ok());
  CHECK(read(folder / "far/born") == "born");
  fs::create_symlink("round", folder / "round");
  CHECK_FALSE(writeWhole(folder / "round", "x").ok());
  CHECK(folder.names() == std::vector<std::string>{"absolute", "dangling", "far", "relative", "round", "twice"});
  CHECK(std::distance(fs::directory_iterator(folder / "far"), fs::directory_iterator()) == 2);
}

TEST_CASE("links planted under foreseeable names lead nowhere") {
  const Folder folder;
  put(folder / "victim", "untouched");
  const std::string process = std::to_string(::getpid());
  for (const std::string& name : {"a.tessera-" + process + ".tmp", "a." + process + ".part", std::string("a.part"),
                                  std::string("a.tmp"), ".tessera-" + process + ".part"})
    fs::create_symlink("victim", folder / name);
  const std::size_t before = folder.names().size();
  CHECK(writeWhole(folder / "a", "new").ok());
  CHECK(read(folder / "a") == "new");
  CHECK(read(folder / "victim") == "untouched");
  CHECK(folder.names().size() == before + 1);
}

TEST_CASE("many writers of one name: the file is always one of theirs, whole") {
  const Folder folder;
  std::vector<std::string> texts;
  for (char c = 'a'; c < 'e'; ++c) texts.emplace_back(20'000 + 1000 * (c - 'a'), c);
  put(folder / "x", texts[0]);
  std::vector<std::thread> writers;
  std::array<bool, 4> fine{};
  for (std::size_t k = 0; k < texts.size(); ++k)
    writers.emplace_back([&, k] {
      fine[k] = true;
      for (int round = 0; round < 50; ++round) {
        fine[k] = fine[k] && writeWhole(folder / "x", texts[k]).ok();
        const std::string now = read(folder / "x");
        fine[k] = fine[k] && std::find(texts.begin(), texts.end(), now) != texts.end();
      }
    });
  for (std::thread& t : writers) t.join();
  for (const bool one : fine) CHECK(one);
  CHECK(folder.names() == std::vector<std::string>{"x"});
}
