package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Counts new jobs for the analyzer; where their table is shows with its first use. */
final class JobGrowth implements IntConsumer {
  private final Analyzer analyzer;
  private final JobKernel kernel;
  private volatile Analyzer.@Nullable Growth growth;

  JobGrowth(Analyzer analyzer, JobKernel kernel) {
    this.analyzer = analyzer;
    this.kernel = kernel;
  }

  @Override
  public void accept(int inserted) {
    Analyzer.Growth known = growth;
    if (known == null) {
      known = made();
    }
    known.inserted(inserted);
  }

  private synchronized Analyzer.Growth made() {
    Analyzer.Growth known = growth;
    if (known == null) {
      known = analyzer.new Growth(kernel.setup().ensure(StoreCall.plain()).sql("{jobs}"));
      growth = known;
    }
    return known;
  }
}
