// The protocol's fields: reading them from parameters, writing places and ranges.
//
// A field that is missing or has another type throws Failure: {"code":-32602,"message":"position.line: ..."}. The
// server answers the request with it. It is thrown and caught in app/lsp only.
#pragma once

#include <exception>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "app/lsp/text.h"
#include "core/base/types.h"

namespace tessera::lsp {

using Json = nlohmann::json;

enum class Code : int {
  ParseError = -32700,
  InvalidRequest = -32600,
  MethodNotFound = -32601,
  InvalidParams = -32602,
  InternalError = -32603,
  NotInitialized = -32002,
  RequestFailed = -32803,
  ContentModified = -32801,
  Cancelled = -32800,
};

class Failure : public std::exception {
 public:
  Failure(Code code, std::string message) : code_(code), message_(std::move(message)) {}
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }
  [[nodiscard]] Code code() const { return code_; }

 private:
  Code code_;
  std::string message_;
};

// A member of an object, by its path: "textDocument.uri".
[[nodiscard]] const Json& memberOf(const Json& object, std::string_view path);
// nullptr if it, or an object on the way, is missing.
[[nodiscard]] const Json* findMember(const Json& object, std::string_view path);
[[nodiscard]] std::string textOf(const Json& object, std::string_view path);
[[nodiscard]] i64 integerOf(const Json& object, std::string_view path);

// {"line":0,"character":4}
[[nodiscard]] Place placeOf(const Json& position);
[[nodiscard]] Span spanOf(const Json& range, const Text& text);
[[nodiscard]] Json jsonOf(const Place& place);
[[nodiscard]] Json rangeOf(Span span, const Text& text);

// A message as its bytes; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string bytesOf(const Json& message);
// Reads a message; discarded if it is not JSON. Half a surrogate pair, which editors send as \ud800, becomes U+FFFD.
// What is nested too deeply is dropped.
[[nodiscard]] Json messageOf(std::string body);

// The path of a file's address, "/tmp/a b.tess" of "file:///tmp/a%20b.tess"; another address as it is.
[[nodiscard]] std::string pathOf(std::string_view uri);

}  // namespace tessera::lsp
