#include "app/lsp/inbox.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "app/lsp/framing.h"

namespace tessera::lsp {

struct Inbox::Queue {
  std::mutex mutex;
  std::condition_variable some;
  std::deque<Event> events;
  std::set<std::string> answered;   // documents in the queue
  std::set<std::string> cancelled;  // requests
};

Inbox::Inbox() : queue_(std::make_unique<Queue>()) {}
Inbox::~Inbox() = default;

void Inbox::push(Event event) {
  {
    const std::lock_guard lock(queue_->mutex);
    if (event.kind == Event::Kind::Answered && !queue_->answered.insert(event.text).second) return;
    if (event.kind == Event::Kind::Message && findMember(*event.message, "method") != nullptr &&
        memberOf(*event.message, "method") == "$/cancelRequest")
      if (const Json* const id = findMember(*event.message, "params.id")) queue_->cancelled.insert(bytesOf(*id));
    queue_->events.push_back(std::move(event));
  }
  queue_->some.notify_one();
}

Event Inbox::next() {
  std::unique_lock lock(queue_->mutex);
  queue_->some.wait(lock, [&] { return !queue_->events.empty(); });
  Event event = std::move(queue_->events.front());
  queue_->events.pop_front();
  if (event.kind == Event::Kind::Answered) queue_->answered.erase(event.text);
  return event;
}

bool Inbox::takeCancelled(const std::string& id) {
  const std::lock_guard lock(queue_->mutex);
  return queue_->cancelled.erase(id) > 0;
}

void readMessages(int descriptor, Inbox& inbox) {
  MessageReader reader(descriptor);
  for (std::string body;;) {
    const MessageReader::Got got = reader.next(body);
    if (got == MessageReader::Got::Broken) {
      inbox.push({Event::Kind::Broken, nullptr, body});
      continue;
    }
    if (got == MessageReader::Got::Ended) break;
    auto message = std::make_shared<const Json>(messageOf(std::move(body)));
    if (message->is_discarded()) {
      inbox.push({Event::Kind::Broken, nullptr, "the message is not JSON"});
      continue;
    }
    const Json* const method = findMember(*message, "method");
    const bool last = method != nullptr && *method == "exit";
    inbox.push({Event::Kind::Message, std::move(message), ""});
    if (last) return;
  }
  inbox.push({Event::Kind::Ended, nullptr, ""});
}

}  // namespace tessera::lsp
