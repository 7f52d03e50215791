// A folder of its own for a test, gone with it.
#pragma once

#include <stdlib.h>

#include <string>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"

namespace ssm::test {

class TempFolder {
 public:
  TempFolder() {
    const char* root = ::getenv("TMPDIR");
    path_ = std::string(root == nullptr ? "/tmp" : root) + "/ssm-test-XXXXXX";
    SSM_CHECK(::mkdtemp(path_.data()) != nullptr, "cannot make " + path_);
  }
  ~TempFolder() { RemoveTree(path_); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace ssm::test
