// What docs/config.md shows can be typed.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "ssm/cli/run_cli.h"
#include "ssm/experiment/experiment_config.h"
#include "support/temp_folder.h"

namespace ssm::test {
namespace {

const std::string kSource = SSM_SOURCE_DIR;

// The blocks of a page between ```LANGUAGE and ```.
std::vector<std::string> Blocks(const std::string& page, const std::string& language) {
  const std::string open = "\n```" + language + "\n";
  std::vector<std::string> blocks;
  for (size_t at = page.find(open); at != std::string::npos; at = page.find(open, at)) {
    at += open.size();
    const size_t close = page.find("\n```", at);
    blocks.push_back(page.substr(at, close - at));
    at = close;
  }
  return blocks;
}

// The words after "ssmctl train c.json " on a shell's line, single quotes taken off.
std::vector<std::string> Overrides(const std::string& line) {
  std::vector<std::string> words;
  for (const std::string& word : SplitText(line, ' ')) {
    const bool quoted = word.size() > 1 && word.starts_with('\'') && word.ends_with('\'');
    words.push_back(quoted ? word.substr(1, word.size() - 2) : word);
  }
  words.erase(words.begin(), words.begin() + 3);
  return words;
}

class Page {
 public:
  Page() {
    const std::filesystem::path configs = kSource + "/configs";
    std::filesystem::copy(configs, folder_.path(), std::filesystem::copy_options::recursive);
  }
  void Read(const std::string& config, const std::vector<std::string>& overrides) const {
    AtomicWriteFile(folder_ / "c.json", config);
    ReadExperiment({folder_ / "c.json", overrides}, catalogue_.mixers, catalogue_.tasks);
  }
  const std::string text = ReadFile(kSource + "/docs/config.md");

 private:
  TempFolder folder_;
  Catalogue catalogue_ = LibraryCatalogue();
};

TEST_CASE("every config of the page is one") {
  const Page page;
  const std::vector<std::string> blocks = Blocks(page.text, "json");
  CHECK(blocks.size() >= 3);
  for (const std::string& block : blocks) CHECK_NOTHROW(page.Read(block, {}));
}

TEST_CASE("every override of the page can be given to its first config") {
  const Page page;
  const std::string first = Blocks(page.text, "json").at(0);
  int count = 0;
  for (const std::string& block : Blocks(page.text, "")) {
    for (const std::string& line : SplitText(block, '\n')) {
      if (!line.starts_with("ssmctl train c.json ")) continue;
      ++count;
      CHECK_NOTHROW(page.Read(first, Overrides(line)));
    }
  }
  CHECK(count >= 2);
}

}  // namespace
}  // namespace ssm::test
