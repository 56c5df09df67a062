#include "core/ptx/read.h"

#include <fmt/format.h>

#include "core/base/nearest.h"
#include "core/ptx/reader/constant.h"
#include "core/ptx/reader/declarations.h"
#include "core/ptx/reader/functions.h"
#include "core/ptx/reader/tokens.h"

namespace tessera::ptx {

namespace {

constexpr int kNewest = 9;  // .version 9.x

class Reader {
 public:
  explicit Reader(std::string_view text) : in_(cursorOf(text)), lines_(text) {}

  Result<Module> module() {
    TESSERA_CHECKED(version());
    while (!in_.atEnd()) TESSERA_CHECKED(item());
    return std::move(module_);
  }

 private:
  Result<void> version();
  Result<void> item();
  Result<void> declared(std::string_view word);
  Result<void> section();

  Cursor in_;
  Lines lines_;
  Module module_;
  Names names_;
};

Result<void> Reader::version() {
  if (peekDirective(in_) != "version") {
    std::string hint;
    if (in_.text().find(".version") == std::string_view::npos &&
        in_.text().find("__global__") != std::string_view::npos)
      hint = "nvcc -arch=sm_90a -ptx kernel.cu";
    return in_.fail(in_.atEnd() ? "this text is empty" : "a PTX text begins with .version", ".version 8.0", hint);
  }
  takeDirective(in_, "version");
  const std::size_t begin = in_.start();
  const auto digits = [&](int& out) {
    const std::size_t first = in_.position();
    for (; isDigit(in_.raw()) && out < 1000; in_.advance()) out = out * 10 + (in_.raw() - '0');
    return in_.position() > first;
  };
  const bool major = digits(module_.major) && in_.raw() == '.';
  if (major) in_.advance();
  if (!major || !digits(module_.minor)) return in_.failFrom(begin, "the number of the version is missing", "8.0");
  if (module_.major > kNewest)
    return in_.failFrom(
        begin, fmt::format("this is PTX {}.{}; versions to {}.x are read", module_.major, module_.minor, kNewest),
        ".version 9.0",
        "write .version 9.0 if the text uses nothing newer, or compile it with an older "
        "toolkit");
  return {};
}

// .section .debug_str { ... }
Result<void> Reader::section() {
  const std::size_t begin = in_.position();
  const std::string head = keptText(in_, "{");
  if (!in_.accept('{')) return in_.failFrom(begin, "the braces of this section are missing", "{ ... }");
  const std::string inside = keptText(in_, "}", true);
  if (!in_.accept('}')) return in_.failFrom(begin, "this section is never closed", "}", "the text may be truncated");
  module_.directives.push_back(fmt::format(".section {}\n{{\n{}\n}}", head, inside));
  return {};
}

// A function or variables, after the linkage if there is one.
Result<void> Reader::declared(std::string_view word) {
  const std::size_t begin = in_.position();
  std::string_view linkage;
  if (isLinkage(word)) {
    linkage = in_.text().substr(begin, word.size() + 1);
    takeDirective(in_, word);
    word = peekDirective(in_);
  }
  if (word == "entry" || word == "func") {
    takeDirective(in_, word);
    TESSERA_TRY(Function f,
                Functions(in_, lines_, module_, names_).function(linkage, word == "entry", lines_.at(begin)));
    module_.functions.push_back(std::move(f));
    return {};
  }
  const auto space = spaceNamed(word);
  if (!space || *space == Space::Register)
    return in_.fail(word.empty() ? fmt::format("a directive is missing before {}", in_.found())
                                 : fmt::format("there is no directive .{}", word),
                    ".entry, .func or a variable",
                    didYouMean(word, {"entry", "func", "visible", "extern", "global", "shared", "const", "version",
                                      "target", "address_size", "file", "section", "pragma", "alias", "weak"}));
  takeDirective(in_, word);
  TESSERA_TRY(std::vector<Variable> all, Declarations(in_).variables(*space, linkage, lines_.at(begin)));
  for (Variable& v : all) {
    names_.variable(v);
    module_.variables.push_back(std::move(v));
  }
  return {};
}

Result<void> Reader::item() {
  if (in_.raw() == ';') {
    in_.advance();
    return {};
  }
  if (in_.raw() == '@') {  // @@DWARF of PTX 1
    const std::size_t begin = in_.position(), end = std::min(in_.text().find('\n', begin), in_.text().size());
    if (in_.raw(1) != '@') return in_.fail("a directive is missing before `@`", ".entry, .func or a variable");
    in_.seek(end);
    module_.directives.emplace_back(stripped(in_.text().substr(begin, end - begin)));
    return {};
  }
  const std::string_view word = peekDirective(in_);
  if (word == "target") {
    takeDirective(in_, word);
    do {
      const std::string_view name = takeName(in_);
      if (name.empty()) return in_.fail("the name of a target is missing here", ".target sm_90a");
      module_.target += fmt::format("{}{}", module_.target.empty() ? "" : ", ", name);
    } while (in_.accept(','));
    return {};
  }
  if (word == "address_size") {
    takeDirective(in_, word);
    TESSERA_TRY(const i64 size, integerConstant(in_, "the size of an address"));
    if (size != 32 && size != 64) return in_.fail("an address has 32 or 64 bits", ".address_size 64");
    module_.addressSize = static_cast<int>(size);
    return {};
  }
  if (word == "version") return in_.fail("this is a second .version", "one PTX text", "read each text alone");
  if (word == "file") {
    takeDirective(in_, word);
    return Functions::file(in_, module_);
  }
  if (word == "section") {
    takeDirective(in_, word);
    return section();
  }
  if (word == "pragma" || word == "alias") {
    std::string text = keptText(in_, ";");
    TESSERA_CHECKED(in_.expect(";", fmt::format("after .{}", word)));
    module_.directives.push_back(std::move(text));
    return {};
  }
  return declared(word);
}

}  // namespace

Result<Module> read(std::string_view text) {
  Result<Module> out = Reader(text).module();
  if (!out && !text.empty() && out.error().hint.empty() && out.error().span.begin >= text.size())
    out.error().hint = "the text may be truncated";
  return out;
}

}  // namespace tessera::ptx
