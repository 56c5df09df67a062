// Inbox: what the server has to do, in order: messages from the thread that reads, and documents about which the
// threads that evaluate know more.
//
//     read   {"id":7,"method":"textDocument/hover"}     next(): the request
//     read   {"method":"$/cancelRequest", id 7}         before next() returned it: takeCancelled("7") is true, once
//
// Laws: thread-safe. A document is in the queue at most once.
#pragma once

#include <memory>
#include <string>

#include "app/lsp/protocol.h"

namespace tessera::lsp {

struct Event {
  enum class Kind : unsigned char { Message, Broken, Ended, Answered } kind = Kind::Ended;
  std::shared_ptr<const Json> message;
  std::string text;  // Broken: the reason; Answered: the document
};

class Inbox {
 public:
  Inbox();
  ~Inbox();
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  void push(Event event);
  // Waits for an event.
  [[nodiscard]] Event next();
  [[nodiscard]] bool takeCancelled(const std::string& id);

 private:
  struct Queue;
  std::unique_ptr<Queue> queue_;
};

// Reads messages until `exit` or the end of the input.
void readMessages(int descriptor, Inbox& inbox);

}  // namespace tessera::lsp
