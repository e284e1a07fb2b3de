/** Folds a study's outcomes, decision by decision, into counts: what it keeps of a decision is that it was there. */
import type { ControllerName } from '../../contract/controller.ts';
import type { EvaluatedOutcome } from '../../contract/evaluated.ts';
import { countConfidence, type CalibrationCounts } from './calibration.ts';
import { decisionKey, stratumKey, type PlannedDecision, type Stratum, type TelemetryProfile } from './cells.ts';
import { emptyProfile, entryOf, foldDecision, type ProfileFold } from './fold-profile.ts';
import { paperPrices, type Prices } from './loss.ts';

/** One proposer's counts. Answers are counted once a decision, `missing` being those without any outcome. */
export type ProposerFold = {
  readonly answers: Record<EvaluatedOutcome['answer'] | 'missing', number>;
  readonly calibration: CalibrationCounts;
  readonly strata: Map<string, Stratum & { planned: number }>;
  readonly profiles: Readonly<Record<TelemetryProfile, ProfileFold>>;
};

/**
 * `runOnce`: controllers that were run on canonical telemetry alone because the degraded profile cannot change what they do. Their outcomes stand for both,
 * or they would be missing wherever the two are compared. `prices`: of losses, the paper's by default.
 */
export type FoldOptions = { readonly prices?: Prices; readonly runOnce?: readonly ControllerName[] };

/**
 * Takes decisions in any order, each with all of its outcomes: every controller's, under every profile. Those whose outcomes never came are added with none, so
 * that they stay in the denominators.
 */
export type StudyFold = {
  /**
   * Adds one decision; its outcomes must be of it.
   * @throws RangeError where it was there before, has two outcomes of one controller and profile, or an outcome is of another decision; the fold is of no use then
   */
  add(decision: PlannedDecision, outcomes: readonly EvaluatedOutcome[]): void;
  readonly proposers: ReadonlyMap<string, ProposerFold>;
  /** What losses were counted at. */
  readonly prices: Prices;
};

/** Nothing folded yet. */
export function foldStudy({ prices = paperPrices, runOnce = [] }: FoldOptions = {}): StudyFold {
  const proposers = new Map<string, ProposerFold>();
  const isNew = createSeen();
  return {
    proposers, prices,
    add(decision, outcomes) {
      if (!isNew(decision)) throw new RangeError(`The decision ${decisionKey(decision)} comes twice.`);
      const other = outcomes.find((outcome) => decisionKey(outcome) !== decisionKey(decision));
      if (other !== undefined) throw new RangeError(`An outcome of ${decisionKey(other)} stands among those of ${decisionKey(decision)}.`);
      const fold = entryOf(proposers, decision.proposer, emptyProposer);
      const { template, domain, condition, raceClass } = decision;
      entryOf(fold.strata, stratumKey(decision), () => ({ template, domain, condition, raceClass, planned: 0 })).planned += 1;
      fold.answers[outcomes[0]?.answer ?? 'missing'] += 1;
      const canonical = outcomes.filter(({ telemetry }) => telemetry === 'canonical');
      const degraded = outcomes.filter(({ telemetry }) => telemetry === 'degraded');
      for (const outcome of canonical) if (outcome.controller === 'always-execute') countConfidence(fold.calibration, outcome);
      foldDecision(fold.profiles.canonical, { decision, outcomes: canonical }, prices);
      foldDecision(fold.profiles.degraded, { decision, outcomes: [...degraded, ...canonical.filter(({ controller }) => runOnce.includes(controller))] }, prices);
    },
  };
}

function emptyProposer(): ProposerFold {
  return { answers: { act: 0, abstain: 0, failed: 0, missing: 0 }, calibration: { excluded: 0, right: new Map(), wrong: new Map() }, strata: new Map(), profiles: { canonical: emptyProfile(), degraded: emptyProfile() } };
}

/** Tells whether a decision was not there before. A case's name is kept once for all seeds: a seed more costs a few bytes a case. */
function createSeen(): (decision: PlannedDecision) => boolean {
  const seen = new Map<string, Map<string, Set<number>>>();
  return ({ proposer, caseId, seed }) => {
    const seeds = entryOf(entryOf(seen, proposer, () => new Map<string, Set<number>>()), caseId, () => new Set<number>());
    const before = seeds.size;
    return seeds.add(seed).size > before;
  };
}
