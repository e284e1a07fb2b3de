/** Folds one proposer's outcomes under one telemetry profile, decision by decision, into counts. */
import { controllerNames, type ControllerName } from '../../contract/controller.ts';
import type { EvaluatedOutcome } from '../../contract/evaluated.ts';
import { judge, nothingJudged, stratumKey, type Cells, type Judged, type PlannedDecision, type Stratum } from './cells.ts';
import { tallyLosses, type LossTallies } from './groups.ts';
import type { Prices } from './loss.ts';
import { countPair, type PairCounts, type PairedMetric } from './paired.ts';

/** The pairs that the text compares: granularities, uniform strong verification, and the agreement gate with its matched gamble. */
export const comparedPairs = [['predicate-guard', 'version-guard'], ['predicate-guard', 'epoch-guard'], ['version-guard', 'epoch-guard'], ['predicate-guard', 'always-strong'], ['agreement-gate', 'random-gate'], ['support-router', 'evidence-router']] as const;

/** What is compared of each pair. */
export const comparedMetrics = ['unsafe', 'safeSuccess'] as const satisfies readonly PairedMetric[];

/** The decisions of each stratum, planned under every controller and profile alike. */
export type PlannedStrata = ReadonlyMap<string, Stratum & { readonly planned: number }>;

/** What is kept of a profile. It grows with templates, conditions and controllers, not with decisions. */
export type ProfileFold = {
  readonly judged: Map<ControllerName, Map<string, Judged>>;
  /** By `pairKey`. */
  readonly pairs: Map<string, PairCounts>;
  readonly losses: LossTallies;
};

/** Nothing folded yet. */
export function emptyProfile(): ProfileFold {
  return { judged: new Map(), pairs: new Map(), losses: { least: new Map(), distances: new Map() } };
}

/**
 * Adds the outcomes of one decision.
 * @throws RangeError for two outcomes of one controller: each would count twice
 */
export function foldDecision(profile: ProfileFold, { decision, outcomes }: { readonly decision: PlannedDecision; readonly outcomes: readonly EvaluatedOutcome[] }, prices: Prices): void {
  const byController = new Map(outcomes.map((outcome) => [outcome.controller, outcome]));
  if (byController.size < outcomes.length) throw new RangeError(`Two outcomes of ${twiceIn(outcomes)} on ${decision.caseId} of ${decision.proposer} under the seed ${String(decision.seed)}.`);
  const key = stratumKey(decision);
  for (const outcome of outcomes) judge(entryOf(entryOf(profile.judged, outcome.controller, () => new Map<string, Judged>()), key, nothingJudged), outcome);
  for (const [first, second] of comparedPairs) {
    const [one, other] = [byController.get(first), byController.get(second)];
    if (one === undefined || other === undefined) continue;
    for (const metric of comparedMetrics) countPair(entryOf(profile.pairs, pairKey(first, second, metric), noPairs), one[metric], other[metric]);
  }
  tallyLosses(profile.losses, outcomes, prices);
}

/** The cells: every controller with an outcome has a part for every stratum, also for one that it has nothing of. */
export function cellsOf({ judged }: ProfileFold, strata: PlannedStrata): Cells {
  return new Map(controllerNames.flatMap((name) => {
    const own = judged.get(name);
    return own === undefined ? [] : [[name, [...strata].map(([key, stratum]) => ({ ...stratum, judged: own.get(key) ?? nothingJudged() }))] as const];
  }));
}

/** The pairs that were counted of two controllers. */
export function pairsOf({ pairs }: ProfileFold, [first, second]: readonly [ControllerName, ControllerName], metric: PairedMetric): Readonly<PairCounts> {
  return pairs.get(pairKey(first, second, metric)) ?? noPairs();
}

/** The value of a key, made where there is none. */
export function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}

const pairKey = (first: ControllerName, second: ControllerName, metric: PairedMetric): string => `${first} ${second} ${metric}`;
const noPairs = (): PairCounts => ({ pairs: 0, b: 0, c: 0 });

function twiceIn(outcomes: readonly EvaluatedOutcome[]): string {
  const twice = outcomes.find(({ controller }, n) => outcomes.findIndex((other) => other.controller === controller) < n);
  return twice === undefined ? 'a controller' : `${twice.controller} (${twice.telemetry})`;
}
