#include "app/cli/io/smt2.h"

#include <fmt/format.h>

#include <filesystem>

#include "app/cli/io/output.h"

namespace tessera {
namespace {

// A file name of letters, digits, '.', '-' and '_', for any name of a claim.
std::string safeName(const std::string& suggestion) {
  std::string out;
  for (const char c : suggestion.substr(0, 80)) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    out += plain ? c : '_';
  }
  if (out.size() > 5 && out.substr(out.size() - 5) == ".smt2") out.resize(out.size() - 5);
  return out.empty() || out[0] == '.' ? "claim" + out : out;
}

}  // namespace

Smt2Writer::Smt2Writer(std::string directory) : directory_(std::move(directory)) {
  if (!wanted()) return;
  std::error_code error;
  std::filesystem::create_directories(directory_, error);
  if (!error && std::filesystem::is_directory(directory_, error)) return;
  complain(fmt::format("tessera: cannot write into '{}': {}", directory_,
                       error ? error.message() : std::string("it is not a directory")));
  failed_ = true;
}

void Smt2Writer::write(const Verdict& verdict) {
  if (!wanted() || failed_) return;
  for (const auto& [suggestion, text] : verdict.smt2) {
    const std::string base = safeName(suggestion);
    std::string file = base;
    for (int k = 2; !used_.insert(file).second; ++k) file = fmt::format("{}-{}", base, k);
    if (auto written = writeFile(directory_ + "/" + file + ".smt2", text); !written) {
      complain("tessera: " + written.error().message);
      failed_ = true;
      return;
    }
  }
}

}  // namespace tessera
