/** What a run comes to: the counts that its table and its JSON show. */
import { Condition } from '../contract/case.ts';
import type { GuardKind } from '../contract/guard.ts';
import { countGuards, type GuardCounts } from './count-guards.ts';
import { countModel, type ModelCounts } from './count-models.ts';
import type { Decision } from './decision.ts';

/** A model that was asked, by name and digest. The digest is null for a canned proposer, and where nothing tells it. */
export type NamedModel = { readonly name: string; readonly digest: string | null };

/** A run's counts. */
export type Summary = {
  /** Planned episodes. */
  readonly episodes: number;
  readonly models: readonly (NamedModel & ModelCounts)[];
  readonly guards: Readonly<Record<GuardKind, GuardCounts>>;
  /** How often each condition really struck, in episodes. */
  readonly faults: Readonly<Record<Condition, number>>;
};

/** Counts a run. */
export function summarize(decisions: readonly Decision[], models: readonly NamedModel[]): Summary {
  const struck = (condition: Condition): number => decisions.reduce((sum, { faults }) => sum + (faults[condition] ?? 0), 0);
  return {
    episodes: decisions.length,
    models: models.map(({ name, digest }) => ({ name, digest, ...countModel(decisions, name) })),
    guards: countGuards(decisions),
    faults: Object.fromEntries(Condition.options.map((condition) => [condition, struck(condition)])) as Record<Condition, number>,
  };
}

/** Whether no episode came to a proposal or a judgement: a run that shows nothing must not look like a good one. */
export function isAllFailed(decisions: readonly Decision[]): boolean {
  return decisions.every(({ class: ended }) => ended === 'model_failure' || ended === 'infrastructure_failure' || ended === 'unknown');
}

/** An episode worth opening: an unsafe commit without guard, else the one with the most steps; the first by id of several. Undefined where none opened a world. */
export function worthOpening(decisions: readonly Decision[]): Decision | undefined {
  const leaked = decisions.find(({ guard, score }) => guard === 'none' && score !== null && 'unsafe' in score && score.unsafe);
  return leaked ?? decisions.filter(({ steps }) => steps > 0).reduce<Decision | undefined>((best, next) => (best === undefined || next.steps > best.steps ? next : best), undefined);
}
