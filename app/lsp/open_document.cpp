#include "app/lsp/open_document.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/lsp/protocol.h"
#include "core/paste/blocks.h"

namespace tessera::lsp {
namespace {

EngineOptions documentOptions() {
  EngineOptions options;
  options.figures = EngineOptions::Figures::Asked;  // a show that cannot be drawn is an error
  return options;
}

}  // namespace

std::optional<Span> Known::inText(Span span) const {
  if (span.begin < shift || span.end - shift > text->bytes().size()) return std::nullopt;
  return Span{span.begin - shift, span.end - shift};
}

Span Known::cutToText(Span span) const {
  const auto cut = [&](std::size_t byte) { return std::min(byte - std::min(byte, shift), text->bytes().size()); };
  return {cut(span.begin), cut(std::max(span.begin, span.end))};
}

OpenDocument::OpenDocument(std::string uri, Language language, std::function<void()> answered)
    : name_(blockNameOf(pathOf(uri))), evaluation_(documentOptions(), tessera::answered, startStatement, [] {}) {
  known_.uri = std::move(uri);
  known_.language = language;
  evaluation_.onPublish(std::move(answered));
}

void OpenDocument::change(Text text, i64 version) {
  known_.version = version;
  known_.text = std::make_shared<const Text>(std::move(text));
  known_.tooLarge = known_.text->bytes().size() > kMaxBytes;
  std::string sheet = known_.tooLarge ? "" : known_.text->bytes();
  if (known_.language == Language::Program) {
    const std::string head = fmt::format("graphene {} {{\n", name_);
    known_.shift = head.size();
    sheet = fmt::format("{}{}\n}}\nprove {}", head, sheet, name_);
  }
  known_.sheet = std::make_shared<const std::string>(std::move(sheet));
  evaluation_.setText(*known_.sheet, ++revision_);
}

Known OpenDocument::known() const {
  Known now = known_;
  now.snapshot = evaluation_.snapshot();
  now.current = now.snapshot->revision == revision_;
  return now;
}

}  // namespace tessera::lsp
