// SPDX-License-Identifier: GPL-2.0-only
/*
 * What our API does.
 */
#include "api.h"
