package io.holdfast.stream;

import java.util.List;

/**
 * What became of pushes and verdicts that commit together.
 *
 * @param isCommitted false when some verdict was refused: then nothing happened at all
 * @param pushed per message, in order; empty when not committed
 * @param acked per verdict, in order
 */
public record Transacted(boolean isCommitted, List<Pushed> pushed, List<Acked> acked) {}
