// The sheet and its file: saving, and changes of the file by other programs.
#include <fmt/format.h>

#include <filesystem>

#include "app/session/session.h"
#include "core/base/nearest.h"

namespace tessera {
namespace {

bool sameFile(const std::string& a, const std::string& b) {
  std::error_code failed;
  return a == b || std::filesystem::equivalent(a, b, failed);
}

}  // namespace

bool Session::save() { return !document_.path().empty() && saveAs(document_.path()); }

bool Session::saveAs(const std::string& path) {
  const bool mine = !document_.path().empty() && sameFile(path, document_.path());
  if (mine && !lookAtDisk(/*saving=*/true)) return false;
  return writeTo(path);
}

bool Session::writeTo(const std::string& path) {
  const auto saved = document_.saveAs(path);
  tell(saved.ok() ? fmt::format("saved to {}", path) : saved.error().message + ". The old file is unchanged.",
       !saved.ok());
  return saved.ok();
}

bool Session::lookAtDisk(bool saving) {
  if (document_.path().empty() || document_.stamp() == FileStamp{}) return true;
  DiskLook look = lookAgain(document_.path(), document_.stamp(), Document::kMaxBytes);
  if (look.what == DiskLook::What::Same) {
    if (look.now.stamp != document_.stamp()) document_.sawOnDisk(document_.savedText(), look.now.stamp);
    diskQuestion.reset();
    return true;
  }
  diskQuestion =
      DiskQuestion{look.what, saving, document_.path(), std::move(look.now.bytes), look.now.stamp, std::move(look.why)};
  if (saving) tell(fmt::format("{} is not what it was, and nothing is saved yet", document_.path()), true);
  return false;
}

bool Session::keepMine() {
  if (!diskQuestion) return true;
  const DiskQuestion asked = *std::exchange(diskQuestion, std::nullopt);
  if (asked.saving) return writeTo(document_.path());
  // Not asked again until the file changes once more; the sheet now has changes that are not in the file.
  document_.sawOnDisk(asked.theirs, asked.stamp);
  return true;
}

void Session::takeTheirs() {
  if (!diskQuestion || diskQuestion->what != DiskLook::What::Changed) return;
  const DiskQuestion asked = *std::exchange(diskQuestion, std::nullopt);
  const std::string &mine = document_.text(), &theirs = asked.theirs;
  // Replace only the differing part, so that the caret stays close.
  const auto [head, tail] = commonEnds(mine, theirs);
  document_.replace(head, mine.size() - tail, std::string_view(theirs).substr(head, theirs.size() - tail - head));
  document_.sawOnDisk(theirs, asked.stamp);
  tell(fmt::format("{} is as it is on disk; undo brings your text back", asked.path));
  touch();
}

}  // namespace tessera
