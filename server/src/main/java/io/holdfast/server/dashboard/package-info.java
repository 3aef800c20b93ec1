/**
 * The dashboard and the gauges: one reader of the figures of all capabilities serves everybody who
 * looks. Start with {@link io.holdfast.server.dashboard.DashboardApi}.
 */
@NullMarked
package io.holdfast.server.dashboard;

import org.jspecify.annotations.NullMarked;
