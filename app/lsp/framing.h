// Framing: messages of the protocol as bytes on two file descriptors.
//
//     Content-Length: 52\r\n
//     \r\n
//     {"jsonrpc":"2.0","id":1,"method":"shutdown","params":null}
//
// Laws: a header line that is not Content-Length is skipped. A message without a readable length, or one longer than
// kMostMessage, is Broken and says why; reading continues after it. The end of the input is Ended.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tessera::lsp {

// A sheet of 4 MiB as JSON, if every byte of it were escaped.
inline constexpr std::size_t kMostMessage = std::size_t{32} << 20;

class MessageReader {
 public:
  explicit MessageReader(int descriptor) : descriptor_(descriptor) {}

  enum class Got : unsigned char { Message, Broken, Ended };
  // body: of the message; for Broken the reason.
  [[nodiscard]] Got next(std::string& body);

 private:
  [[nodiscard]] bool readMore();
  [[nodiscard]] bool line(std::string& out);
  [[nodiscard]] bool take(std::size_t bytes, std::string* out);

  int descriptor_;
  std::string buffer_;
  std::size_t start_ = 0;
};

// Writes a message completely. Returns false once the reader has closed the descriptor.
[[nodiscard]] bool writeMessage(int descriptor, std::string_view body);

}  // namespace tessera::lsp
