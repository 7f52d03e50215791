#include <cstdlib>
#include <iostream>

#include "reference/run_reference.h"

int main() {
  const char* folder = std::getenv("SSM_REFERENCE_DIR");
  const bool given = folder != nullptr && *folder != '\0';
  return ssm::reference::RunReference(given ? folder : SSM_REFERENCE_COPY, std::cout) ? 0 : 1;
}
