// JournalFile: a file of records that only grows. Whatever ends the process or the machine, what is read back is the
// records in their order up to one of them: a torn or damaged one ends the reading, none is ever read wrong.
//
//     JournalFile file = *JournalFile::create("3f2a.journal");
//     file.append(framed("one") + framed("two"));      // in the file at once: kill -9 does not take it away
//     file.sync();                                     // on the disk: nor does a power cut
//     file.rewrite(framed("both"));                    // the old records or the new ones, never neither
//     readJournal("3f2a.journal").records              // {"both"}
//
// Whoever has it open holds its lock: nobody else can take it, and `journalIsLive` says so. The lock ends with the process,
// however that ends. On the disk: "tessera journal 1\n", then of each record its length, its checksum, a line end, its
// bytes, a line end.
// Why text around raw bytes: a person can look into it with `less`, and a worksheet need not be valid UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tessera {

[[nodiscard]] std::string framed(std::string_view record);

struct JournalRead {
  std::vector<std::string> records;
  std::size_t goodBytes = 0;  // as many bytes of the file are header and whole records
  bool damaged = false;       // there were more
};
// At most maxBytes of the file are looked at. A Diag when there is no such file or it is no journal.
[[nodiscard]] Result<JournalRead> readJournal(const std::string& path, std::size_t maxBytes = std::size_t{1} << 30);
// A process has it open.
[[nodiscard]] bool journalIsLive(const std::string& path);

class JournalFile {
 public:
  // A new file under a name that is free, readable for its user alone.
  [[nodiscard]] static Result<JournalFile> create(const std::string& path);
  // An old one that nobody has open. What follows its last whole record is cut off with the first append.
  [[nodiscard]] static Result<JournalFile> take(const std::string& path);
  ~JournalFile();
  JournalFile(JournalFile&& other) noexcept;
  JournalFile& operator=(JournalFile&& other) noexcept;
  JournalFile(const JournalFile&) = delete;
  JournalFile& operator=(const JournalFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] Result<void> append(std::string_view framedRecords);
  [[nodiscard]] Result<void> sync();
  // The file has these records and no others; on the disk when it returns.
  [[nodiscard]] Result<void> rewrite(std::string_view framedRecords);
  void remove();

 private:
  JournalFile(std::string path, int file, std::size_t end) : path_(std::move(path)), file_(file), end_(end) {}
  [[nodiscard]] Diag problem(const char* doing) const;

  std::string path_;
  int file_ = -1;
  std::size_t end_ = 0;  // behind the last whole record
};

}  // namespace tessera
