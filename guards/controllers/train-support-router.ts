/** The trainer of the learned router: counts outcomes by signature. Pure: whoever calls it reads the outcomes and writes the weights. */
import type { Condition } from '../../contract/case.ts';
import type { EvaluatedOutcome } from '../../contract/evaluated.ts';
import type { Telemetry } from '../../contract/observation.ts';
import { AgeBucket, signatureOf, StatusFamily } from './signature.ts';
import type { SupportCell, SupportWeights } from './support-weights.ts';

/** What the outcomes do not say themselves. */
export type TrainingContext = {
  readonly design: string;
  readonly source: string;
  /** The telemetry that the read of an outcome came with: outcomes name their condition only, and this room knows none. */
  readonly telemetryOf: (condition: Condition, profile: EvaluatedOutcome['telemetry']) => Telemetry;
};

type Pair = { execute?: EvaluatedOutcome; fast?: EvaluatedOutcome };

/**
 * Weights from the outcomes of always-execute and always-fast; outcomes of other controllers, and decisions without an action, do not count. Which templates,
 * faults or domains are development is the caller's choice of outcomes. Their order does not matter.
 * @throws RangeError where a decision was replayed twice by one of the two controllers, or by one of them only: shares would have different denominators.
 */
export function trainSupportRouter(outcomes: readonly EvaluatedOutcome[], context: TrainingContext): SupportWeights {
  const cells = new Map<string, SupportCell>();
  const used: EvaluatedOutcome[] = [];
  for (const [key, { execute, fast }] of pairsOf(outcomes)) {
    if (execute === undefined || fast === undefined) throw new RangeError(`The decision ${key} was not replayed by both controllers.`);
    used.push(execute);
    const signature = signatureOf(context.telemetryOf(execute.condition, execute.telemetry));
    const at = `${signature.ageBucket} ${signature.status}`;
    cells.set(at, added(cells.get(at) ?? { ...signature, ...nothing }, execute, fast));
  }
  return {
    provenance: {
      design: context.design,
      source: context.source,
      templates: distinct(used.map((outcome) => outcome.template)).sort(),
      seeds: distinct(used.map((outcome) => outcome.seed)).sort((a, b) => a - b),
      proposers: distinct(used.map((outcome) => outcome.proposer)).sort(),
      telemetry: distinct(used.map((outcome) => outcome.telemetry)).sort(),
      decisions: used.length,
    },
    cells: AgeBucket.options.flatMap((ageBucket) => StatusFamily.options.flatMap((status) => cells.get(`${ageBucket} ${status}`) ?? [])),
  };
}

const nothing = { n: 0, unsafeAfterExecute: 0, unsafeAfterFast: 0, failedAfterExecute: 0, failedAfterFast: 0, blockedAfterFast: 0 };

function added(cell: SupportCell, execute: EvaluatedOutcome, fast: EvaluatedOutcome): SupportCell {
  return {
    ...cell,
    n: cell.n + 1,
    unsafeAfterExecute: cell.unsafeAfterExecute + Number(execute.unsafe),
    unsafeAfterFast: cell.unsafeAfterFast + Number(fast.unsafe),
    failedAfterExecute: cell.failedAfterExecute + Number(!execute.safeSuccess),
    failedAfterFast: cell.failedAfterFast + Number(!fast.safeSuccess),
    blockedAfterFast: cell.blockedAfterFast + Number(!fast.committed),
  };
}

function pairsOf(outcomes: readonly EvaluatedOutcome[]): Map<string, Pair> {
  const pairs = new Map<string, Pair>();
  for (const outcome of outcomes) {
    const side = outcome.controller === 'always-execute' ? 'execute' : outcome.controller === 'always-fast' ? 'fast' : null;
    if (side === null || outcome.action === 'none') continue;
    const key = JSON.stringify([outcome.caseId, outcome.proposer, outcome.seed, outcome.telemetry]);
    const pair = pairs.get(key) ?? {};
    if (pair[side] !== undefined) throw new RangeError(`The decision ${key} was replayed twice by ${outcome.controller}.`);
    pairs.set(key, { ...pair, [side]: outcome });
  }
  return pairs;
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
