// OpenDocument: a document that the editor has open, as a worksheet that is answered in the background.
//
//     sheet.tess         the text itself
//     move.graphene      graphene move {        a program is the only block of a sheet, which proves it: names, help
//                        TEXT                   and answers are those of a block
//                        }
//                        prove move
//
// Law: known() never waits. Its answers belong to its text, or `current` is false.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/engine/evaluation.h"
#include "app/engine/help/hover_info.h"
#include "app/lsp/text.h"
#include "core/base/types.h"

namespace tessera::lsp {

enum class Language : unsigned char { Sheet, Program };

// A document and what is known about it, at one moment.
struct Known {
  std::string uri;
  Language language = Language::Sheet;
  i64 version = 0;
  std::shared_ptr<const Text> text;
  std::shared_ptr<const std::string> sheet;
  std::size_t shift = 0;  // bytes of the sheet before the text
  std::shared_ptr<const Snapshot> snapshot;
  bool current = false;   // the snapshot is of this text
  bool tooLarge = false;  // nothing is answered
  bool markdown = false;  // the editor shows it

  // Empty unless they are current.
  [[nodiscard]] Outcomes outcomes() const { return current ? Outcomes(snapshot->outcomes) : Outcomes(); }
  [[nodiscard]] std::size_t sheetByte(Place place) const { return text->byteAt(place) + shift; }
  // A span of the sheet in the text; nullopt if it is not completely inside.
  [[nodiscard]] std::optional<Span> inText(Span span) const;
  // The same, cut at the ends of the text.
  [[nodiscard]] Span cutToText(Span span) const;
};

class OpenDocument {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{4} << 20;  // as in the window

  // answered: called on another thread when more is known.
  OpenDocument(std::string uri, Language language, std::function<void()> answered);

  void change(Text text, i64 version);
  [[nodiscard]] Known known() const;

 private:
  Known known_;
  std::string name_;  // of a program's block
  std::uint64_t revision_ = 0;
  Evaluation evaluation_;
};

}  // namespace tessera::lsp
