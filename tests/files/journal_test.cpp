// After any damage to the file, a journal returns a prefix of its records in order.
#include <catch2/catch.hpp>
#include <filesystem>

#include "app/files/fields.h"
#include "app/files/journal_file.h"
#include "tests/files/folder.h"

using namespace tessera;
namespace fs = std::filesystem;

namespace {

const std::vector<std::string> kRecords = {
    "one", "", std::string("\0\n\xff 7 0\n", 8), "12 3456\n", std::string(500, 'x'), "last"};

std::string all(const std::vector<std::string>& records) {
  std::string text;
  for (const std::string& r : records) text += framed(r);
  return text;
}

bool isPrefix(const std::vector<std::string>& part, const std::vector<std::string>& whole) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

}  // namespace

TEST_CASE("records of any bytes come back in their order") {
  const TestFolder folder;
  {
    auto file = JournalFile::create(folder / "a.journal");
    REQUIRE(file.ok());
    for (const std::string& r : kRecords) REQUIRE(file->append(framed(r)).ok());
    REQUIRE(file->sync().ok());
  }
  const auto read = readJournal(folder / "a.journal");
  REQUIRE(read.ok());
  CHECK(read->records == kRecords);
  CHECK_FALSE(read->damaged);
  CHECK((fs::status(folder / "a.journal").permissions() & (fs::perms::group_all | fs::perms::others_all)) ==
        fs::perms::none);
}

TEST_CASE("cut off anywhere it is its first records, and goes on from there") {
  const TestFolder folder;
  const std::string path = folder / "a.journal";
  {
    auto file = JournalFile::create(path);
    REQUIRE(file->append(all(kRecords)).ok());
  }
  const std::string bytes = fileText(path);
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    putFile(path, bytes.substr(0, size));
    const auto read = readJournal(path);
    if (!read.ok()) {
      REQUIRE(size < 18);  // within the header
      continue;
    }
    REQUIRE(isPrefix(read->records, kRecords));
    REQUIRE(read->damaged == (read->goodBytes != size));
    auto file = JournalFile::take(path);
    REQUIRE(file.ok());
    REQUIRE(file->append(framed("more")).ok());
    auto expected = read->records;
    expected.emplace_back("more");
    REQUIRE(readJournal(path)->records == expected);
  }
}

TEST_CASE("a byte that changed ends the reading there, and nothing is read wrong") {
  const TestFolder folder;
  const std::string path = folder / "a.journal";
  {
    auto file = JournalFile::create(path);
    REQUIRE(file->append(all(kRecords)).ok());
  }
  const std::string bytes = fileText(path);
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const char c : {'\0', '9', '\n', ' ', static_cast<char>(bytes[at] ^ 1)}) {
      std::string damaged = bytes;
      damaged[at] = c;
      putFile(path, damaged);
      const auto read = readJournal(path);
      if (!read.ok()) continue;
      // A number may be spelled with other digits' case; the records are the same then.
      REQUIRE(isPrefix(read->records, kRecords));
      if (damaged != bytes) REQUIRE((read->damaged || read->records == kRecords));
    }
  putFile(path, "");
  CHECK_FALSE(readJournal(path).ok());
  CHECK_FALSE(readJournal(folder / "missing").ok());
  CHECK_FALSE(readJournal(folder.path()).ok());
}

TEST_CASE("who has it open holds it, through a rewrite, too") {
  const TestFolder folder;
  const std::string path = folder / "a.journal";
  CHECK_FALSE(journalIsLive(path));
  {
    auto file = JournalFile::create(path);
    REQUIRE(file.ok());
    CHECK_FALSE(JournalFile::create(path).ok());
    for (int round = 0; round < 3; ++round) {
      CHECK(journalIsLive(path));
      CHECK_FALSE(JournalFile::take(path).ok());
      REQUIRE(file->append(framed("a")).ok());
      REQUIRE(file->rewrite(framed("b")).ok());
      CHECK(readJournal(path)->records == std::vector<std::string>{"b"});
    }
    REQUIRE(file->append(framed("c")).ok());
  }
  CHECK_FALSE(journalIsLive(path));
  auto taken = JournalFile::take(path);
  REQUIRE(taken.ok());
  CHECK(readJournal(path)->records == std::vector<std::string>{"b", "c"});
  CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("a rewrite that fails leaves the old records") {
  const TestFolder folder;
  fs::create_directory(folder / "sub");
  const std::string path = folder / "sub/a.journal";
  auto file = JournalFile::create(path);
  REQUIRE(file->append(framed("kept")).ok());
  fs::create_directory(path + ".new");  // where the new one would be written
  CHECK_FALSE(file->rewrite(framed("new")).ok());
  CHECK(readJournal(path)->records == std::vector<std::string>{"kept"});
  fs::remove(path + ".new");
  putFile(path + ".new", "left by a process that was killed");
  CHECK(file->rewrite(framed("new")).ok());
  CHECK(readJournal(path)->records == std::vector<std::string>{"new"});
}

TEST_CASE("fields are read as they were written, and damaged ones never past their end") {
  FieldWriter out;
  out.number(0).bytes("").number(18446744073709551615U).bytes(std::string("a:b \0c", 6));
  FieldReader in(out.text());
  CHECK(in.number() == 0);
  CHECK(in.bytes().empty());
  CHECK(in.number() == 18446744073709551615U);
  CHECK(in.bytes() == std::string_view("a:b \0c", 6));
  CHECK(in.fine());
  CHECK(in.atEnd());
  CHECK(in.number() == 0);
  CHECK_FALSE(in.fine());
  for (const char* text :
       {"", "x", "5:ab ", "3:abc", "3:abcd", "99999999999999999999 ", "18446744073709551615:a ", "-1:a "}) {
    INFO(text);
    FieldReader damaged(text);
    CHECK(damaged.bytes().empty());
    CHECK_FALSE(damaged.fine());
    CHECK(damaged.bytes().empty());
  }
}
