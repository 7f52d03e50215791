// Files a command line names: none may be written over one that is read, or twice.
#pragma once

#include <span>
#include <string>

namespace ssm {

/// A file and what names it; an empty path is no file.
struct NamedFile {
  std::string flag;  // "--out"
  std::string path;
};

/// Whether two paths lead to one file, however they are spelled and through whatever links; the
/// file need not exist. Devices and pipes are never one file: any number may write to them.
bool SameFile(const std::string& a, const std::string& b);

/// @throws Error(kUsage) naming the first file of `writes` that is also one of `reads`, or is there
/// twice.
void RefuseSameFiles(std::span<const NamedFile> reads, std::span<const NamedFile> writes);

}  // namespace ssm
