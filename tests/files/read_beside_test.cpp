// A file name in an untrusted text: only a regular file in the same folder is opened.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "app/files/file_stamp.h"
#include "app/files/write_file.h"

using namespace tessera;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path = fs::temp_directory_path() / ("tessera-beside-" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path / "sub"); }
  ~Folder() { fs::remove_all(path); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path / name) << text; }
};

}  // namespace

TEST_CASE("only a regular file in the same folder is read") {
  const Folder folder;
  folder.write("good.graphene", "text");
  folder.write("sub/other.graphene", "other");
  fs::create_symlink(folder.path / "sub/other.graphene", folder.path / "link.graphene");
  REQUIRE(::mkfifo((folder.path / "pipe.graphene").c_str(), 0600) == 0);
  const std::string program = (folder.path / "program.graphene").string();
  REQUIRE(readBeside(program, "good.graphene").ok());
  CHECK(*readBeside(program, "good.graphene") == "text");
  for (const std::string name : {"sub/other.graphene", "../x", "/etc/passwd", ".", "..", "", "sub", "link.graphene",
                                 "pipe.graphene", "nosuch.graphene", "./good.graphene"}) {
    INFO(name);
    CHECK_FALSE(readBeside(program, name).ok());
  }
  CHECK_FALSE(readBeside("-", "good.graphene").ok());
}

TEST_CASE("what replaces a private file is private from the first byte on") {
  const Folder folder;
  folder.write("private", "old");
  const std::string path = (folder.path / "private").string();
  REQUIRE(::chmod(path.c_str(), 0600) == 0);
  const mode_t before = ::umask(0);
  REQUIRE(writeWhole(path, "new").ok());
  ::umask(before);
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
}
