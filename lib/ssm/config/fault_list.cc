#include "ssm/config/fault_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

constexpr size_t kKept = 10'000;
constexpr size_t kShown = 100;
constexpr size_t kLongestSentence = 4000;

}  // namespace

std::string OneLine(std::string_view text, size_t limit) {
  size_t length = std::min(text.size(), limit);
  while (length < text.size() && length > 0 && (text[length] & 0xC0) == 0x80) --length;
  std::string line;
  for (const char c : text.substr(0, length)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      line += fmt::format("\\u{:04x}", unsigned{byte});
    } else {
      line += c;
    }
  }
  return length < text.size() ? line + "..." : line;
}

int FaultList::AddSource(std::string name) {
  sources_.push_back(std::move(name));
  return static_cast<int>(sources_.size()) - 1;
}

void FaultList::Add(const JsonPlace& place, const std::string& pointer,
                    const std::string& sentence) {
  if (faults_.size() >= kKept) {
    ++dropped_;
  } else {
    faults_.push_back({place, pointer, sentence});
  }
}

std::set<JsonPlace> FaultList::Places() const {
  std::set<JsonPlace> places;
  for (const Fault& fault : faults_) places.insert(fault.place);
  return places;
}

void FaultList::Throw() const {
  if (faults_.empty()) return;
  std::vector<Fault> sorted = faults_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Fault& a, const Fault& b) { return a.place < b.place; });
  std::string lines;
  for (size_t i = 0; i < sorted.size() && i < kShown; ++i) {
    const Fault& fault = sorted[i];
    if (i > 0) lines += '\n';
    lines += OneLine(SourceName(fault.place.source));
    if (fault.place.line > 0) lines += fmt::format(":{}:{}", fault.place.line, fault.place.column);
    if (!fault.pointer.empty()) lines += ": " + OneLine(fault.pointer);
    lines += ": " + OneLine(fault.sentence, kLongestSentence);
  }
  if (sorted.size() + dropped_ > kShown) {
    lines += fmt::format("\n... and {} more.", sorted.size() + dropped_ - kShown);
  }
  throw Error(ExitCode::kBadConfig, lines);
}

}  // namespace ssm
