// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the API of the built-in kprobes does: Kbuild includes their header first.
 */
#include "api.h"
