#include "ssm/experiment/result_row.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <vector>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"

namespace ssm {
namespace {

/// Words between blanks.
std::vector<std::string> WordsOf(const std::string& text) {
  std::vector<std::string> words;
  for (const std::string& word : SplitText(text, ' ')) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

[[noreturn]] void Refuse(const std::string& text, const std::string& fault) {
  Fail(
      ExitCode::kBadConfig,
      fmt::format("has the row {}, but {}; a row is an arm and a reading, then maybe \">= NUMBER\" "
                  "or \"<= NUMBER\", then maybe \"published\" and what was published",
                  Quote(text), fault));
}

}  // namespace

ResultRow ParseResultRow(const std::string& text) {
  const std::vector<std::string> words = WordsOf(text);
  if (words.size() < 2) Refuse(text, "it does not name both");
  ResultRow row{.arm = words[0], .reading = words[1], .published = {}};
  size_t at = 2;
  if (at < words.size() && (words[at] == ">=" || words[at] == "<=")) {
    row.gated = true;
    row.upper = words[at] == "<=";
    const std::optional<double> bound =
        at + 1 < words.size() ? ParseNumber(words[at + 1]) : std::nullopt;
    if (!bound || !std::isfinite(*bound)) Refuse(text, "no number follows " + words[at]);
    row.bound = *bound;
    at += 2;
  }
  if (at == words.size()) return row;
  if (words[at] != "published") Refuse(text, "nobody knows what " + Quote(words[at]) + " means");
  const std::vector<std::string> rest(words.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                                      words.end());
  row.published = Join(rest, " ");
  return row;
}

}  // namespace ssm
