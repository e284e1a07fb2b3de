/** How the preference moves with prices: unsafe costs for the pre-commit policies, and the premium of a semantic check. */
import type { ControllerName } from '../../../contract/controller.ts';
import type { PremiumSweep, SweepPoint } from '../../study/loss.ts';
import { noValue } from '../../study/value.ts';
import { numberFigure, textFigure, type Audience } from '../figure.ts';
import type { Cell, Table } from '../model.ts';
import { audienceOf, hasMacro, macroAudience, type StudyView } from '../study-view.ts';

const swept: readonly ControllerName[] = ['always-execute', 'evidence-router', 'support-router', 'always-strong', 'predicate-guard'];

/** Each proposer's sweep, then the average's. */
function perAudience<T>({ summary }: StudyView, own: (of: StudyView['summary']['proposers'][number]) => T, macro: T): { audience: Audience; of: T }[] {
  return [...summary.proposers.map((of) => ({ audience: audienceOf(of), of: own(of) })), ...(hasMacro(summary) ? [{ audience: macroAudience(summary), of: macro }] : [])];
}

export function priceSweepTable(view: StudyView): Table {
  const { macro } = view.summary;
  const all = perAudience(view, ({ profiles, pooledPriceSweep }) => ({ canonical: profiles.canonical.priceSweep, pooled: pooledPriceSweep }), { canonical: macro.profiles.canonical.priceSweep, pooled: macro.pooledPriceSweep });
  const rows = all.flatMap(({ audience, of }) => of.canonical.map((point, n) => priceRow(point, of.pooled[n], audience)));
  return {
    id: 'price-sweep', title: 'Expected loss by price', labels: 3, head: ['proposer', 'failure cost', 'unsafe cost', 'best pre-commit, canonical', 'best pre-commit, both profiles', ...swept],
    caption: 'The policy with the least expected loss among those that decide before the commit, and the losses on canonical telemetry.', rows,
    notes: ['The paper names the best policy without saying of which telemetry: its change from the router to strong verification shows where telemetry may degrade, so the printed names stand beside both profiles pooled. The predicate guard is shown for comparison; it is no pre-commit policy.'],
  };
}

function priceRow(point: SweepPoint, pooled: SweepPoint | undefined, audience: Audience): Cell[] {
  const best = (of: SweepPoint | undefined): string => (of === undefined || of.best.length === 0 ? 'none' : of.best.join(', '));
  const losses = swept.map((name) => numberFigure(point.losses[name] ?? noValue('no_outcomes'), `sweep/${name}`, audience));
  return [audience.name, String(point.lambdaF), String(point.lambdaU), textFigure(best(point), 'best-canonical', audience), textFigure(best(pooled), point.lambdaF === 10 ? `best/${String(point.lambdaU)}` : 'best', audience), ...losses];
}

export function premiumSweepTable(view: StudyView): Table {
  const rows = perAudience(view, ({ profiles }) => profiles.canonical.premiumSweep, view.summary.macro.profiles.canonical.premiumSweep).flatMap(({ audience, of }) => premiumRows(of, audience));
  return {
    id: 'premium-sweep', title: 'What a semantic check may cost', labels: 2, head: ['proposer', 'price of a predicate check', 'predicate-guard', 'always-strong', 'version-guard'],
    caption: 'Expected loss while a predicate check costs c_p times a version check, outcomes held fixed.', rows,
    notes: ['Break-even: the c_p at which the predicate guard costs as much as the other; below it, the predicate guard is the cheaper.'],
  };
}

function premiumRows({ points, breakEvenStrong, breakEvenVersion }: PremiumSweep, audience: Audience): Cell[][] {
  const at = points.map(({ premium, predicate, strong, version }): Cell[] => [
    audience.name, `c_p = ${String(premium)}`, numberFigure(predicate, `premium/predicate/${String(premium)}`, audience), numberFigure(strong, `premium/strong/${String(premium)}`, audience), numberFigure(version, `premium/version/${String(premium)}`, audience),
  ]);
  return [...at, [audience.name, 'break-even c_p', '', numberFigure(breakEvenStrong, 'premium/break-even-strong', audience), numberFigure(breakEvenVersion, 'premium/break-even-version', audience)]];
}
