// JournalFile: an append-only file of records. After any crash of process or machine, reading returns a prefix of the
// records in order: a torn or damaged record ends it, and no record is misread.
//
//     JournalFile file = *JournalFile::create("3f2a.journal");
//     file.append(framed("one") + framed("two"));      // immediately in the file: survives kill -9
//     file.sync();                                     // on the disk: survives a power failure
//     file.rewrite(framed("both"));                    // the old records or the new ones, never neither
//     readJournal("3f2a.journal").records              // {"both"}
//
// The process that has it open holds its lock: no other can take it, and `journalIsLive` is true. The lock ends with
// the process in any case. Format: "tessera journal 1\n", then for each record its length, its checksum, a newline, its
// bytes, a newline.
// Why text around raw bytes: the file can be viewed with `less`, and a worksheet need not be valid UTF-8.
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
  std::size_t goodBytes = 0;  // length of the header and all complete records
  bool damaged = false;       // more bytes follow
};
// Reads at most maxBytes of the file. Returns a Diag if the file does not exist or is not a journal.
[[nodiscard]] Result<JournalRead> readJournal(const std::string& path, std::size_t maxBytes = std::size_t{1} << 30);
// Whether a process has it open.
[[nodiscard]] bool journalIsLive(const std::string& path);

class JournalFile {
 public:
  // Creates a file under an unused name, readable by its user only.
  [[nodiscard]] static Result<JournalFile> create(const std::string& path);
  // Takes an old one that no process has open. The first append truncates it after its last complete record.
  [[nodiscard]] static Result<JournalFile> take(const std::string& path);
  ~JournalFile();
  JournalFile(JournalFile&& other) noexcept;
  JournalFile& operator=(JournalFile&& other) noexcept;
  JournalFile(const JournalFile&) = delete;
  JournalFile& operator=(const JournalFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] Result<void> append(std::string_view framedRecords);
  [[nodiscard]] Result<void> sync();
  // Atomically replaces all records; on the disk when it returns.
  [[nodiscard]] Result<void> rewrite(std::string_view framedRecords);
  void remove();

 private:
  JournalFile(std::string path, int file, std::size_t end) : path_(std::move(path)), file_(file), end_(end) {}

  std::string path_;
  int file_ = -1;
  std::size_t end_ = 0;  // after the last complete record
};

}  // namespace tessera
