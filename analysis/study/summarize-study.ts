/** The study's figures from its outcomes: each proposer by itself, then the macro average over proposers. */
import type { ControllerName } from '../../contract/controller.ts';
import type { EvaluatedOutcome } from '../../contract/evaluated.ts';
import { defaultResamples } from './bootstrap.ts';
import { byDecision } from './by-decision.ts';
import { calibrationOf, type Calibration } from './calibration.ts';
import { decisionKey, type PlannedDecision, type TelemetryProfile } from './cells.ts';
import { rateNames, type RateName } from './counts.ts';
import { entryOf, type ProfileFold } from './fold-profile.ts';
import { foldStudy, type FoldOptions, type ProposerFold, type StudyFold } from './fold-study.ts';
import { expectedLoss, lossTerms, macroTerms, sweepPremium, sweepPrices, type PremiumSweep, type Prices, type SweepPoint, type TermsByController } from './loss.ts';
import { studyCounts, type StudyCounts } from './study-counts.ts';
import { summarizeProfile, type ProfileOptions, type ProfileSummary } from './summarize-profile.ts';
import { macroAverage, type Measure } from './value.ts';

/** One proposer. Answers are counted once a decision, `missing` being those without any outcome; they add up to `json.decisions`. */
export type ProposerSummary = {
  readonly proposer: string;
  readonly answers: Readonly<Record<EvaluatedOutcome['answer'] | 'missing', number>>;
  readonly calibration: Calibration;
  readonly profiles: Readonly<Record<TelemetryProfile, ProfileSummary>>;
  /** Both profiles with equal weight, for controllers that have both: where telemetry may degrade, the cheap router is not the best at every unsafe cost. */
  readonly pooledPriceSweep: readonly SweepPoint[];
  /** The counts as `evaluate --json` prints them. */
  readonly json: StudyCounts;
};

/** The unweighted mean over proposers of one controller; null where a proposer has no value. */
export type MacroController = { readonly rates: Readonly<Record<RateName, Measure>>; readonly meanCost: Measure; readonly expectedLoss: Measure; readonly regret: Measure };
/** Controllers that every proposer has; the sweeps are of the averaged terms. */
export type MacroProfile = { readonly controllers: Readonly<Partial<Record<ControllerName, MacroController>>>; readonly priceSweep: readonly SweepPoint[]; readonly premiumSweep: PremiumSweep };
export type StudySummary = { readonly proposers: readonly ProposerSummary[]; readonly macro: { readonly proposers: number; readonly profiles: Readonly<Record<TelemetryProfile, MacroProfile>>; readonly pooledPriceSweep: readonly SweepPoint[] } };

/** Settings of the bootstrap. */
export type SummaryOptions = { readonly seed?: number; readonly resamples?: number };

/**
 * Summarizes outcomes that come decision by decision, as a run writes them; only one decision's are in memory at once. The same outcomes in any order of
 * decisions give the same summary.
 * @throws RangeError as the fold's `add`: also where a decision's outcomes are scattered
 */
export function summarizeInOrder(outcomes: Iterable<EvaluatedOutcome>, options: FoldOptions & SummaryOptions = {}): StudySummary {
  const fold = foldStudy(options);
  for (const own of byDecision(outcomes)) fold.add(own[0], own);
  return summarizeFold(fold, options);
}

/**
 * Summarizes outcomes that are in memory anyhow, in any order. `planned` adds decisions that no outcome speaks of, so that they stay in the denominators.
 * @throws RangeError where a controller has two outcomes on one decision and profile
 */
export function summarizeStudy(outcomes: readonly EvaluatedOutcome[], options: FoldOptions & SummaryOptions & { readonly planned?: readonly PlannedDecision[] } = {}): StudySummary {
  const decisions = new Map((options.planned ?? []).map((decision) => [decisionKey(decision), { decision, own: [] as EvaluatedOutcome[] }]));
  for (const outcome of outcomes) entryOf(decisions, decisionKey(outcome), () => ({ decision: outcome, own: [] })).own.push(outcome);
  const fold = foldStudy(options);
  for (const { decision, own } of decisions.values()) fold.add(decision, own);
  return summarizeFold(fold, options);
}

/** Summarizes what was folded. Proposers come in the order of their names. */
export function summarizeFold(fold: StudyFold, options: SummaryOptions = {}): StudySummary {
  const settings = { prices: fold.prices, seed: options.seed ?? 13, resamples: options.resamples ?? defaultResamples };
  const proposers = [...fold.proposers.keys()].sort().flatMap((name) => { const own = fold.proposers.get(name); return own === undefined ? [] : [summarizeProposer(name, own, settings)]; });
  const macro = (profile: TelemetryProfile): MacroProfile => macroProfile(proposers.map(({ profiles }) => profiles[profile]), settings.prices);
  const pooled = macroTerms(proposers.map(({ profiles }) => pooledTerms(profiles)));
  return { proposers, macro: { proposers: proposers.length, profiles: { canonical: macro('canonical'), degraded: macro('degraded') }, pooledPriceSweep: sweepPrices(pooled) } };
}

function summarizeProposer(proposer: string, fold: ProposerFold, settings: Omit<ProfileOptions, 'label'>): ProposerSummary {
  const summarize = (of: ProfileFold): ProfileSummary => summarizeProfile(of, fold.strata, { ...settings, label: proposer });
  const profiles = { canonical: summarize(fold.profiles.canonical), degraded: summarize(fold.profiles.degraded) };
  return { proposer, answers: { ...fold.answers }, calibration: calibrationOf(fold.calibration), profiles, pooledPriceSweep: sweepPrices(pooledTerms(profiles)), json: studyCounts(fold, settings.prices) };
}

function macroProfile(profiles: readonly ProfileSummary[], prices: Prices): MacroProfile {
  const terms = macroTerms(profiles.map(termsOf));
  const controllers = [...terms].map(([name, own]) => {
    const each = profiles.flatMap((profile) => profile.controllers[name] ?? []);
    const rates = Object.fromEntries(rateNames.map((rate) => [rate, macroAverage(each.map((one) => one.rates[rate]))])) as Record<RateName, Measure>;
    return [name, { rates, meanCost: own.cost, expectedLoss: expectedLoss(own, prices), regret: macroAverage(each.map(({ regret }) => regret)) }] as const;
  });
  return { controllers: Object.fromEntries(controllers), priceSweep: sweepPrices(terms), premiumSweep: sweepPremium(terms, prices) };
}

function pooledTerms({ canonical, degraded }: ProposerSummary['profiles']): TermsByController {
  return macroTerms([termsOf(canonical), termsOf(degraded)]);
}

function termsOf({ controllers }: ProfileSummary): TermsByController {
  return new Map(Object.entries(controllers).map(([name, { counts }]) => [name as ControllerName, lossTerms(counts)]));
}
