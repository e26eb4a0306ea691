#include "include/CSystem.h"
