/** Which decisions the learned router had never seen the like of: its age bucket and status family have no cell in the weights. */
import type { OutsideSupport } from '../../analysis/report/study-view.ts';
import type { EvaluatedOutcome } from '../../contract/evaluated.ts';
import { supportOf, supportWeights } from '../../guards/controllers/support-router.ts';
import { telemetryOf } from '../../scenarios/telemetry.ts';

/** For every proposer and telemetry profile that the learned router was run under, in the order of names. */
export function outsideSupportOf(outcomes: readonly EvaluatedOutcome[]): OutsideSupport[] {
  const routed = outcomes.filter(({ controller }) => controller === 'support-router');
  return [...new Set(routed.map(({ proposer }) => proposer))].sort().flatMap((proposer) => (['canonical', 'degraded'] as const).flatMap((telemetry) => {
    const own = routed.filter((outcome) => outcome.proposer === proposer && outcome.telemetry === telemetry);
    if (own.length === 0) return [];
    const outside = own.filter(({ condition }) => supportOf(supportWeights, telemetryOf(condition, telemetry)) === undefined);
    const strong = outside.filter(({ action }) => action === 'strong').length;
    const inside = own.length - outside.length;
    const unsafeInside = own.filter(({ unsafe }) => unsafe).length - outside.filter(({ unsafe }) => unsafe).length;
    return [{ proposer, telemetry, decisions: own.length, outside: outside.length, strong, conditions: [...new Set(outside.map(({ condition }) => condition))].sort(), inside, unsafeInside, unsafeOutside: outside.filter(({ unsafe }) => unsafe).length }];
  }));
}
