/** The study's figures from its outcomes: each proposer by itself, then the macro average over proposers. */
import type { ControllerName } from '../../contract/controller.ts';
import type { EvaluatedOutcome } from '../../contract/evaluated.ts';
import { defaultResamples } from './bootstrap.ts';
import { calibrationOf, type Calibration } from './calibration.ts';
import { cellsOf, decisionKey, decisionsOf, type Cells, type PlannedDecision, type TelemetryProfile } from './cells.ts';
import { rateNames, type RateName } from './counts.ts';
import { expectedLoss, lossTerms, macroTerms, paperPrices, sweepPremium, sweepPrices, type PremiumSweep, type Prices, type SweepPoint, type TermsByController } from './loss.ts';
import { studyCounts, type StudyCounts } from './study-counts.ts';
import { summarizeProfile, type ProfileSummary } from './summarize-profile.ts';
import { macroAverage, type Measure } from './value.ts';

/** `planned` adds decisions that no outcome speaks of, so that they stay in the denominators. */
export type StudyOptions = { readonly prices?: Prices; readonly seed?: number; readonly resamples?: number; readonly planned?: readonly PlannedDecision[] };

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

/**
 * Summarizes outcomes, in any order. Proposers come in the order of their names, and the same outcomes, options and seed give the same summary.
 * @throws RangeError where a controller has two outcomes on one decision and profile.
 */
export function summarizeStudy(outcomes: readonly EvaluatedOutcome[], options: StudyOptions = {}): StudySummary {
  const { prices = paperPrices, seed = 13, resamples = defaultResamples, planned = [] } = options;
  const settings = { prices, seed, resamples, planned };
  const names = [...new Set([...outcomes, ...planned].map(({ proposer }) => proposer))].sort();
  const proposers = names.map((name) => summarizeProposer(name, outcomes.filter(({ proposer }) => proposer === name), settings));
  const macro = (profile: TelemetryProfile): MacroProfile => macroProfile(proposers.map(({ profiles }) => profiles[profile]), prices);
  const pooled = macroTerms(proposers.map(({ profiles }) => pooledTerms(profiles)));
  return { proposers, macro: { proposers: proposers.length, profiles: { canonical: macro('canonical'), degraded: macro('degraded') }, pooledPriceSweep: sweepPrices(pooled) } };
}

function summarizeProposer(proposer: string, outcomes: readonly EvaluatedOutcome[], settings: Required<StudyOptions>): ProposerSummary {
  const { prices } = settings;
  const decisions = decisionsOf(outcomes, settings.planned.filter((decision) => decision.proposer === proposer));
  const cells = { canonical: cellsOf(outcomes, 'canonical', decisions), degraded: cellsOf(outcomes, 'degraded', decisions) };
  const summarize = (of: Cells): ProfileSummary => summarizeProfile(of, { ...settings, label: proposer });
  const profiles = { canonical: summarize(cells.canonical), degraded: summarize(cells.degraded) };
  return {
    proposer, answers: answersOf(outcomes, decisions.size), calibration: calibrationOf([...(cells.canonical.get('always-execute')?.outcomes.values() ?? [])]),
    profiles, pooledPriceSweep: sweepPrices(pooledTerms(profiles)), json: studyCounts(decisions, cells, prices),
  };
}

function answersOf(outcomes: readonly EvaluatedOutcome[], planned: number): ProposerSummary['answers'] {
  const known = new Map(outcomes.map((outcome) => [decisionKey(outcome), outcome.answer]));
  const answers = { act: 0, abstain: 0, failed: 0, missing: planned - known.size };
  for (const answer of known.values()) answers[answer] += 1;
  return answers;
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
