/** The observable signals that come with a read in each condition, equal for both twins (guard-precision, section on telemetry profiles). */
import type { Condition } from '../contract/case.ts';
import type { Telemetry } from '../contract/observation.ts';

/** `canonical` exposes one consistent vocabulary; `degraded` aliases and hides it. What is true underneath does not change. */
export type TelemetryProfile = 'canonical' | 'degraded';

const clean: Telemetry = { ageMs: 400, previousStatus: 'ok' };

const profiles: Readonly<Record<TelemetryProfile, Readonly<Record<Condition, Telemetry>>>> = {
  canonical: {
    clean,
    'stale-read': { ageMs: 240_000, previousStatus: 'stale' },
    'delayed-visibility': { ageMs: 15_000, previousStatus: 'dispatched' },
    'timeout-after-commit': { ageMs: 30_000, previousStatus: 'timeout' },
    'partial-success': { ageMs: 8_000, previousStatus: 'partial' },
    'concurrent-mutation': { ageMs: 2_000, previousStatus: 'contended' },
  },
  degraded: {
    clean,
    'stale-read': { ageMs: 6_000, previousStatus: 'stale' },
    // A generic dispatch timeout in place of the word for an effect that is on its way.
    'delayed-visibility': { ageMs: 5_000, previousStatus: 'dispatch-timeout' },
    // Words that nobody has seen before.
    'timeout-after-commit': { ageMs: 5_000, previousStatus: 'upstream-reset' },
    'partial-success': { ageMs: 4_000, previousStatus: 'code-207' },
    // Hidden behind a fresh, normal status: no policy over telemetry can tell it from a clean read.
    'concurrent-mutation': clean,
  },
};

/** The telemetry of a condition. It depends on nothing else, so that twins cannot be told apart by it. */
export function telemetryOf(condition: Condition, profile: TelemetryProfile = 'canonical'): Telemetry {
  return profiles[profile][condition];
}
