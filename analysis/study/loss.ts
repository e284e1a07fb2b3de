/** Expected loss, its sweep over prices, and the premium that a semantic check may cost (guard-precision, sections on metrics and on guard precision, Table IX). */
import { controllerNames, type ControllerName } from '../../contract/controller.ts';
import type { EvaluatedOutcome } from '../../contract/evaluated.ts';
import { meanCost, rateNamed, type ControllerCounts } from './counts.ts';
import { macroAverage, measured, noValue, type Measure } from './value.ts';

/** What an unsafe commit (lambda U) and a missed success (lambda F) cost, in verification units. */
export type Prices = { readonly lambdaU: number; readonly lambdaF: number };

/** The paper's prices. */
export const paperPrices: Prices = { lambdaU: 100, lambdaF: 10 };

/** What a loss is made of, before prices. */
export type LossTerms = { readonly unsafe: Measure; readonly safeSuccess: Measure; readonly cost: Measure };
/** The terms of each controller that has outcomes. */
export type TermsByController = ReadonlyMap<ControllerName, LossTerms>;

/** The terms of one controller. Denominators: all planned decisions, and for the cost those with an outcome. */
export function lossTerms(counts: ControllerCounts): LossTerms {
  return { unsafe: rateNamed('unsafe', counts), safeSuccess: rateNamed('safeSuccess', counts), cost: meanCost(counts) };
}

/** lambdaU * unsafe rate + lambdaF * (1 - safe success rate) + mean verification cost. Null where a term is. */
export function expectedLoss({ unsafe, safeSuccess, cost }: LossTerms, { lambdaU, lambdaF }: Prices): Measure {
  for (const term of [unsafe, safeSuccess, cost]) if (term.value === null) return term;
  return measured(lambdaU * (unsafe.value ?? 0) + lambdaF * (1 - (safeSuccess.value ?? 0)) + (cost.value ?? 0));
}

/** One outcome's share of the expected loss: its mean over all decisions is the expected loss. */
export function outcomeLoss(outcome: Pick<EvaluatedOutcome, 'unsafe' | 'safeSuccess' | 'cost'>, { lambdaU, lambdaF }: Prices): number {
  return (outcome.unsafe ? lambdaU : 0) + (outcome.safeSuccess ? 0 : lambdaF) + outcome.cost;
}

/** The unweighted mean of each term over proposers (the macro average) or over telemetry profiles; only controllers that all of them have. */
export function macroTerms(all: readonly TermsByController[]): TermsByController {
  const average = (controller: ControllerName, term: keyof LossTerms): Measure => macroAverage(all.flatMap((terms) => terms.get(controller)?.[term] ?? []));
  const common = controllerNames.filter((controller) => all.length > 0 && all.every((terms) => terms.has(controller)));
  return new Map(common.map((controller) => [controller, { unsafe: average(controller, 'unsafe'), safeSuccess: average(controller, 'safeSuccess'), cost: average(controller, 'cost') }]));
}

/** Policies that decide before the commit; the atomic guards are left out, as in the paper's section on cost sensitivity. */
export const preCommitPolicies = [
  'always-execute', 'always-fast', 'always-strong', 'ttl-gate', 'confidence-gate', 'agreement-gate', 'random-gate', 'evidence-router', 'support-router', 'always-escalate',
] as const satisfies readonly ControllerName[];

/** One point of the sweep. `best`: the pre-commit policies with the least loss, more than one where they tie, none where no loss is defined. */
export type SweepPoint = Prices & { readonly losses: Readonly<Partial<Record<ControllerName, Measure>>>; readonly best: readonly ControllerName[] };

/** Unsafe costs from 10 to 250 for the failure costs 1 and 10, outcomes held fixed. */
export const sweptPrices: readonly Prices[] = [1, 10].flatMap((lambdaF) => [10, 25, 50, 100, 150, 200, 250].map((lambdaU) => ({ lambdaU, lambdaF })));

/** The loss of every controller at each price, and the best pre-commit policy. Losses within 1e-9 tie. */
export function sweepPrices(terms: TermsByController, prices: readonly Prices[] = sweptPrices): readonly SweepPoint[] {
  return prices.map((price) => {
    const losses = new Map([...terms].map(([controller, own]) => [controller, expectedLoss(own, price)] as const));
    const candidates = preCommitPolicies.flatMap((name) => { const loss = losses.get(name)?.value ?? null; return loss === null ? [] : [{ name, loss }]; });
    const least = Math.min(...candidates.map(({ loss }) => loss));
    return { ...price, losses: Object.fromEntries(losses), best: candidates.filter(({ loss }) => loss - least <= 1e-9).map(({ name }) => name) };
  });
}

/** The predicate guard where its check costs `premium` (the paper's c_p) times a version comparison, beside the two that do not change. */
export type PremiumPoint = { readonly premium: number; readonly predicate: Measure; readonly strong: Measure; readonly version: Measure };
/** `breakEven...`: the premium at which the two losses are equal; below it the predicate guard is cheaper. Below 1: it never is. */
export type PremiumSweep = { readonly points: readonly PremiumPoint[]; readonly breakEvenStrong: Measure; readonly breakEvenVersion: Measure };

/** Premiums from 1 to 4. All that the predicate guard spends are checks, so loss(premium) = loss(1) + (premium - 1) * mean cost. Null where a controller is missing. */
export function sweepPremium(terms: TermsByController, prices: Prices, premiums: readonly number[] = [1, 1.5, 2, 2.5, 3, 3.5, 4]): PremiumSweep {
  const own = terms.get('predicate-guard');
  const at = (premium: number): Measure => {
    if (own === undefined) return noValue('no_outcomes');
    return expectedLoss({ ...own, cost: own.cost.value === null ? own.cost : measured(premium * own.cost.value) }, prices);
  };
  const other = (name: ControllerName): Measure => { const found = terms.get(name); return found === undefined ? noValue('no_outcomes') : expectedLoss(found, prices); };
  const breakEven = (rival: Measure): Measure => {
    const [loss, cost] = [at(1), own?.cost ?? noValue('no_outcomes')];
    if (loss.value === null) return loss;
    if (rival.value === null) return rival;
    return cost.value === null || cost.value === 0 ? noValue('costs_nothing') : measured(1 + (rival.value - loss.value) / cost.value);
  };
  const [strong, version] = [other('always-strong'), other('version-guard')];
  return { points: premiums.map((premium) => ({ premium, predicate: at(premium), strong, version })), breakEvenStrong: breakEven(strong), breakEvenVersion: breakEven(version) };
}
