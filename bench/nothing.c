/* What LD_PRELOAD costs at the least: a library with nothing in it. */
