package io.holdfast.postgres;

import io.holdfast.lease.Time;
import io.holdfast.queue.IdSuffixes;

/** What all partitions of a store share. */
record QueueKernel(
    QueueSql sql,
    QueueSetup setup,
    ItemTables tables,
    Transactions transactions,
    Analyzer analyzer,
    IdSuffixes suffixes,
    Time time) {}
