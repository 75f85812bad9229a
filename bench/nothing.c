// SPDX-License-Identifier: Apache-2.0
/* What LD_PRELOAD costs at the least: a library with nothing in it. */
