// Marks the executable that this code is linked into as one whose tests call apps.
#pragma once
