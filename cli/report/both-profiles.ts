/** Under `--telemetry both` a controller that telemetry cannot move is run once; its outcomes stand for both profiles, or it would be missing wherever the two are compared. */
import type { EvaluatedOutcome } from '../../contract/evaluated.ts';

/** The outcomes with those of controllers without a degraded run a second time as degraded. Unchanged where only one profile was asked for. */
export function withBothProfiles(outcomes: readonly EvaluatedOutcome[], telemetry: 'canonical' | 'degraded' | 'both'): readonly EvaluatedOutcome[] {
  if (telemetry !== 'both') return outcomes;
  const moved = new Set(outcomes.flatMap(({ controller, telemetry: profile }) => (profile === 'degraded' ? [controller] : [])));
  return [...outcomes, ...outcomes.filter(({ controller }) => !moved.has(controller)).map((outcome) => ({ ...outcome, telemetry: 'degraded' as const }))];
}
