/** Makes figures of a table: ours as text, the paper's that speaks of the same kind of proposer, and why the two differ. */
import { printed, type Printed, type PrintedScope } from '../study/printed.ts';
import type { Measure, NoValue, Rate } from '../study/value.ts';
import type { Figure } from './model.ts';

/** Whom a row speaks of. `alwaysActing`: an action on every decision. `difference` says what sets these proposals apart from the paper's. */
export type Audience = { readonly name: string; readonly alwaysActing: boolean; readonly isMacro: boolean; readonly difference: string };

/** Why there is no value, in words. */
const reasons: Readonly<Record<NoValue, string>> = {
  no_decisions: 'no decisions', no_scores: 'no confidence stated', single_class: 'all right or all wrong', too_few_clusters: 'too few templates',
  no_outcomes: 'no outcomes', no_model_asked: 'no model asked', costs_nothing: 'costs nothing', undefined_for_a_proposer: 'undefined for a proposer',
};
export const inWords = (reason: NoValue): string => reasons[reason];

const percent = (value: number): string => `${(100 * value).toFixed(1)}%`.replace(/^-0\.0%$/, '0.0%');

/** A rate with its counts; from its value to `highest` where decisions have no outcome. */
export function rateFigure(rate: Rate, key: string, audience: Audience): Figure {
  if (rate.value === null) return made(null, inWords(rate.reason), { key, audience });
  const bound = rate.unjudged > 0 && rate.highest !== null ? ` to ${percent(rate.highest)}` : '';
  return made(rate.value, `${percent(rate.value)}${bound} (${String(rate.numerator)}/${String(rate.denominator)})`, { key, audience });
}

/** A share without counts: the macro average's. */
export function shareFigure({ value, reason }: Measure, key: string, audience: Audience): Figure {
  return made(value, value === null ? inWords(reason) : percent(value), { key, audience });
}

/** A number at three decimals: costs, losses, scores. */
export function numberFigure({ value, reason }: Measure, key: string, audience: Audience): Figure {
  return made(value, value === null ? inWords(reason) : fixed(value), { key, audience });
}

export function countFigure(value: number, key: string, audience: Audience): Figure {
  return made(value, String(value), { key, audience });
}

/** A time in whole milliseconds. */
export function timeFigure({ value, reason }: Measure, key: string, audience: Audience): Figure {
  return made(value, value === null ? inWords(reason) : `${value.toFixed(0)} ms`, { key, audience });
}

export function textFigure(text: string, key: string, audience: Audience): Figure {
  return made(text, text, { key, audience });
}

/** Three decimals, never a minus before nothing. */
export const fixed = (value: number): string => value.toFixed(3).replace(/^-(0\.0+)$/, '$1');

function made(value: Figure['value'], text: string, { key, audience }: { key: string; audience: Audience }): Figure {
  const paper = printedFor(key, audience);
  return { value, text, paper, why: paper === null || agrees(value, paper) ? null : whyDifferent(value, paper, audience) };
}

/** The printed figure that speaks of the same kind of proposer, else of the nearest. */
export function printedFor(key: string, { alwaysActing, isMacro }: Pick<Audience, 'alwaysActing' | 'isMacro'>): Printed | null {
  const order: readonly PrintedScope[] = isMacro ? ['macro', 'pooled', 'models', 'design', 'always-acting'] : alwaysActing ? ['always-acting', 'models', 'design', 'macro', 'pooled'] : ['models', 'macro', 'pooled', 'design', 'always-acting'];
  return order.flatMap((scope) => (printed[key] ?? []).filter((one) => one.scope === scope))[0] ?? null;
}

/** Equal at the precision that is printed; within a printed range, or at its ends; "near" within 0.05. */
export function agrees(value: Figure['value'], paper: Printed): boolean {
  if (typeof value === 'string') return typeof paper.value === 'string' && value.split(', ').includes(paper.value);
  if (value === null || typeof paper.value === 'string') return false;
  if (paper.text.startsWith('near')) return typeof paper.value === 'number' && Math.abs(value - paper.value) <= 0.05;
  const half = paper.text.includes('%') ? 0.0005 : 0.5 * 10 ** -((/\.(\d+)/.exec(paper.text)?.[1] ?? '').length);
  const [low, high] = typeof paper.value === 'number' ? [paper.value, paper.value] : paper.value;
  return value >= low - half - 1e-12 && value <= high + half + 1e-12;
}

function whyDifferent(value: Figure['value'], paper: Printed, audience: Audience): string {
  if (value === null) return 'no value here';
  if (typeof paper.value === 'string') return 'the paper does not say which telemetry and which policies it compared; here every pre-commit policy, the learned router among them';
  if (paper.scope === 'macro' && !audience.isMacro && audience.alwaysActing) return 'the paper averages three models, one of which (Phi) abstains on 14.8%; here every proposal acts';
  return audience.difference;
}
