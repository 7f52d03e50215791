#include "ssm/systems/eigen_decompositions-inl.h"

SSM_EIGEN_DECOMPOSITIONS()
