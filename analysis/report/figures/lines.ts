/** The two sweeps as line charts: the premium of a semantic check, and the price of an unsafe commit. */
import type { ControllerName } from '../../../contract/controller.ts';
import { fixed } from '../figure.ts';
import type { Chart } from '../model.ts';
import { hasMacro, type StudyView } from '../study-view.ts';
import { colours, config, dashes, schemaUrl, shapes } from './style.ts';

type Point = { readonly proposer: string; readonly controller: string; readonly x: number; readonly loss: number };

/** Each proposer's sweep, then the average's. */
function sweeps<T>({ summary }: StudyView, own: (of: StudyView['summary']['proposers'][number]) => T, macro: T): (readonly [string, T])[] {
  return [...summary.proposers.map((of) => [of.proposer, own(of)] as const), ...(hasMacro(summary) ? [['macro average', macro] as const] : [])];
}

/** The cost sweep (the paper's c_p). */
export function costSweepChart(view: StudyView): Chart {
  const points = sweeps(view, ({ profiles }) => profiles.canonical.premiumSweep, view.summary.macro.profiles.canonical.premiumSweep).flatMap(([proposer, sweep]) =>
    sweep.points.flatMap(({ premium, predicate, strong, version }) => [point(proposer, 'predicate-guard', [premium, predicate.value]), point(proposer, 'always-strong', [premium, strong.value]), point(proposer, 'version-guard', [premium, version.value])].flat()));
  return lineChart(points, {
    id: 'cost-sweep', title: 'What a semantic check may cost', table: 'premium-sweep', x: 'c_p: price of a predicate check',
    caption: 'Expected loss while a predicate check costs c_p times a version check. Where lines meet is the break-even.',
  });
}

/** Without always-execute, whose loss would press the others into one line; the table has it. */
const swept: readonly ControllerName[] = ['evidence-router', 'support-router', 'always-strong', 'predicate-guard'];

/** Failure cost 10, both telemetry profiles with equal weight: a router that misses a hidden race pays for it with the price. */
export function priceSweepChart(view: StudyView): Chart {
  const points = sweeps(view, ({ pooledPriceSweep }) => pooledPriceSweep, view.summary.macro.pooledPriceSweep).flatMap(([proposer, sweep]) =>
    sweep.filter(({ lambdaF }) => lambdaF === 10).flatMap(({ lambdaU, losses }) => swept.flatMap((name) => point(proposer, name, [lambdaU, losses[name]?.value ?? null]))));
  return lineChart(points, { id: 'price-sweep', title: 'Expected loss by the price of an unsafe commit', table: 'price-sweep', x: 'cost of an unsafe commit, in units', caption: 'Canonical and degraded telemetry with equal weight, failure cost 10. Where telemetry may degrade, a router pays for what it cannot see.' });
}

function point(proposer: string, controller: ControllerName, [x, loss]: readonly [number, number | null]): Point[] {
  return loss === null ? [] : [{ proposer, controller, x, loss }];
}

function lineChart(points: readonly Point[], { x, ...text }: Pick<Chart, 'id' | 'title' | 'caption' | 'table'> & { readonly x: string }): Chart {
  const order = [...new Set(points.map(({ controller }) => controller))];
  return {
    ...text, alternative: points.length === 0 ? 'No controller has a loss, so there is nothing to draw.' : `Line chart. ${ends(points).join('; ')}.`,
    spec: points.length === 0 ? null : {
      $schema: schemaUrl, config, spacing: 12,
      vconcat: [...new Set(points.map(({ proposer }) => proposer))].map((name) => ({
        title: name, width: 270, height: 170, data: { values: points.filter(({ proposer }) => proposer === name) },
        mark: { type: 'line' as const, strokeWidth: 2, point: { size: 45, filled: true } }, encoding: encodingOf(x, order),
      })),
    },
  };
}

function encodingOf(title: string, order: string[]) {
  const by = { field: 'controller', type: 'nominal', sort: order } as const;
  return {
    x: { field: 'x', type: 'quantitative', scale: { zero: false, nice: false }, axis: { title, tickCount: 6 } }, y: { field: 'loss', type: 'quantitative', scale: { zero: true }, axis: { title: 'expected loss' } },
    color: { ...by, scale: { range: colours } }, strokeDash: { ...by, scale: { range: dashes } }, shape: { ...by, scale: { range: shapes } },
  } as const;
}

/** Each line by its two ends. */
function ends(points: readonly Point[]): string[] {
  const lines = new Map<string, Point[]>();
  for (const one of points) lines.set(`${one.proposer}, ${one.controller}`, [...(lines.get(`${one.proposer}, ${one.controller}`) ?? []), one]);
  return [...lines].map(([name, line]) => {
    const [first, last] = [line[0], line.at(-1)];
    return first === undefined || last === undefined ? name : `${name}: loss ${fixed(first.loss)} at ${String(first.x)}, ${fixed(last.loss)} at ${String(last.x)}`;
  });
}
