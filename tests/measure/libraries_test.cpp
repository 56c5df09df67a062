// Possible gaps of a machine: the driver, a function of it, a device, a recent enough version; the compiler.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "measure/fakes.h"
#include "solver/measure/device/nvrtc.h"

using namespace tessera;
using namespace tessera::measure;

namespace fs = std::filesystem;

namespace {

void checkSays(const Diag& diag, const std::string& what) {
  INFO(diag.message << " / " << diag.expected << " / " << diag.hint);
  CHECK((diag.message + diag.expected + diag.hint).find(what) != std::string::npos);
}

}  // namespace

TEST_CASE("a library that is not there says where it was looked for, and how to point elsewhere") {
  const auto missing = DynamicLibrary::open({"the thing",
                                             {"libnothing_of_the_kind.so.7", "libnothing.so"},
                                             {"/nowhere/lib64"},
                                             "TESSERA_NOTHING",
                                             "buy one"});
  REQUIRE_FALSE(missing.ok());
  for (const char* const part : {"the thing was not found", "libnothing_of_the_kind.so.7", "libnothing.so",
                                 "/nowhere/lib64", "TESSERA_NOTHING", "buy one"})
    checkSays(missing.error(), part);
  ::setenv("TESSERA_NOTHING", "/nowhere/lib.so", 1);
  const auto given = DynamicLibrary::open({"the thing", {"libc.so.6"}, {}, "TESSERA_NOTHING", ""});
  ::unsetenv("TESSERA_NOTHING");
  REQUIRE_FALSE(given.ok());  // the variable takes the place of the names
  checkSays(given.error(), "TESSERA_NOTHING=/nowhere/lib.so");
  const auto there = DynamicLibrary::open({"C", {"libnothing.so", "libc.so.6"}, {}, "TESSERA_NOTHING", ""});
  REQUIRE(there.ok());
  CHECK(there->symbol("malloc") != nullptr);
  CHECK(there->symbol("no_such_function") == nullptr);
  CHECK(there->path().find("libc.so.6") != std::string::npos);
}

TEST_CASE("every name is tried, stubs and files that are no library are passed over, and each has its reason") {
  const fs::path root = fs::temp_directory_path() / ("tessera_libraries_" + std::to_string(::getpid()));
  const fs::path stubs = root / "lib64" / "stubs", damaged = root / "damaged", good = root / "good";
  for (const fs::path& folder : {stubs, damaged, good}) fs::create_directories(folder);
  fs::copy_file(FAKE_NVRTC, stubs / "libthing.so.2");
  fs::copy_file(FAKE_NVRTC, stubs / "libthing.so");
  std::ofstream(damaged / "libthing.so.2")
      << "not a library, but longer than the header of one, and with no magic at all";
  fs::create_symlink(stubs / "libthing.so", damaged / "libthing.so");  // to a stub
  LibraryPlace place{"the thing",
                     {"libthing.so.2", "libthing.so"},
                     {stubs.string(), damaged.string(), (root / "none").string()},
                     "TESSERA_NOTHING",
                     ""};
  const auto missing = DynamicLibrary::open(place);
  REQUIRE_FALSE(missing.ok());
  for (const std::string& part :
       {std::string("the thing was not found: libthing.so.2, libthing.so: cannot open shared object file"),
        (stubs / "libthing.so.2").string() + ", " + (stubs / "libthing.so").string() + ", " +
            (damaged / "libthing.so").string() + ": the toolkit's stub, which runs nothing",
        (damaged / "libthing.so.2").string() + ": invalid ELF header", (root / "none").string() + ": no such folder"})
    checkSays(missing.error(), part);
  // The same with a real one at the end, under the last name.
  fs::copy_file(FAKE_NVRTC, good / "libthing.so");
  place.folders.push_back(good.string());
  const auto found = DynamicLibrary::open(place);
  REQUIRE(found.ok());
  CHECK(found->path() == (good / "libthing.so").string());
  CHECK(found->symbol("nvrtcVersion") != nullptr);
  ::setenv("TESSERA_NOTHING", (stubs / "libthing.so").c_str(), 1);
  const auto stub = DynamicLibrary::open(place);
  ::unsetenv("TESSERA_NOTHING");
  REQUIRE_FALSE(stub.ok());
  checkSays(stub.error(), "the toolkit's stub, which runs nothing");
  fs::remove_all(root);
}

TEST_CASE("optional functions of a table may be missing") {
  const auto c = DynamicLibrary::open({"C", {"libc.so.6"}, {}, "TESSERA_NOTHING", ""});
  REQUIRE(c.ok());
  struct : FunctionTable {
    void* (*allocate)(std::size_t) = named("malloc", allocate);
    int (*other)(int) = ifThere("no_such_function", other);
  } table;
  CHECK(c->fill(table.entries()).ok());
  CHECK(table.allocate != nullptr);
  CHECK(table.other == nullptr);
}

TEST_CASE("a driver without a function that is needed is too old, and says which one") {
  const Fakes fakes("", FAKE_CUDA_OLD);
  const auto driver = Driver::open();
  REQUIRE_FALSE(driver.ok());
  checkSays(driver.error(), "too old: it has no cuEventQuery");
}

TEST_CASE("no driver, no device, a stub, an old version, a number that no device has") {
  {
    const Fakes fakes("", "/nowhere/libcuda.so.1");
    const auto driver = Driver::open();
    REQUIRE_FALSE(driver.ok());
    checkSays(driver.error(), "the CUDA driver was not found");
  }
  struct Row {
    std::string behaviour;
    std::vector<std::string> says;
  };
  for (const Row& row :
       std::vector<Row>{{"no-device", {"there is no CUDA device", "no CUDA-capable device", "nvidia-smi"}},
                        {"stub", {"does not start", "stub"}},
                        {"driver=10020", {"too old", "supports CUDA 10.2", "11.0 or later"}},
                        {"devices=0", {"there is no CUDA device"}}}) {
    INFO(row.behaviour);
    const Fakes fakes(row.behaviour);
    const auto found = findDevice();
    REQUIRE_FALSE(found.ok());
    for (const std::string& part : row.says) checkSays(found.error(), part);
    CHECK(fakes.live() == 0);
  }
  const Fakes fakes;
  RunOptions second;
  second.device = 1;
  const auto found = findDevice(second);
  REQUIRE_FALSE(found.ok());
  checkSays(found.error(), "there is no device 1");
}

TEST_CASE("what a device says of itself") {
  const Fakes fakes("major=9,minor=0,memory=4096,cache=512");
  const auto found = findDevice();
  REQUIRE(found.ok());
  CHECK(found->name == "Fake GPU");
  CHECK(found->architecture() == "sm_90");
  CHECK(found->driver() == "12.4");
  CHECK(found->memoryBytes == 4096);
  CHECK(found->cacheBytes == 512);
  CHECK(found->multiprocessors == 100);
  CHECK(found->clockKilohertz == 1'000'000);
  CHECK(found->memoryClockKilohertz == 500'000);
  CHECK(found->busBits == 1024);
  CHECK(fakes.live() == 0);
}
