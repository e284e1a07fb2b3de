/** Explanations held against what is true of each leak: how many are right, and which is taken for which. Pure counting; the truth comes from outside. */
import type { Clause } from '../contract/guard.ts';
import type { Family } from './family.ts';

/** What is true or was told of one leak. */
export type Cause = { readonly family: Family; readonly clauses: readonly Clause[] };

/** One leak of the checker's. `from`: whether the scenario's hidden truth says it, or, where the proposal was another than the scenario's, the checker alone. `told`: null where there is no explanation. */
export type Graded = { readonly episodeId: string; readonly opKey: string; readonly guard: string; readonly truth: Cause; readonly from: 'scenario' | 'checker'; readonly told: Cause | null };

/** One cell: so many leaks of this truth were told as this. */
export type Cell = { readonly truth: string; readonly told: string; readonly leaks: number };

/** `explained`: leaks with a family and a clause; `correct`: those whose family and clauses are both the true ones. */
export type Grades = { readonly leaks: number; readonly explained: number; readonly correct: number; readonly ofScenario: number; readonly families: readonly Cell[]; readonly clauses: readonly Cell[]; readonly wrong: readonly Graded[] };

export function gradesOf(graded: readonly Graded[]): Grades {
  const right = graded.filter(isRight);
  return {
    leaks: graded.length, explained: graded.filter(({ told }) => told !== null && told.family !== 'none').length, correct: right.length, ofScenario: graded.filter(({ from }) => from === 'scenario').length,
    families: cells(graded, ({ family }) => family), clauses: cells(graded, words), wrong: graded.filter((one) => !isRight(one)),
  };
}

const words = ({ clauses }: Cause): string => [...clauses].sort().join('+') || 'none';

function isRight({ truth, told }: Graded): boolean {
  return told !== null && told.family === truth.family && words(told) === words(truth);
}

/** The cells that are not empty, by truth, then by what was told. */
function cells(graded: readonly Graded[], name: (cause: Cause) => string): readonly Cell[] {
  const counts = new Map<string, Cell>();
  for (const { truth, told } of graded) {
    const cell = { truth: name(truth), told: told === null ? 'unexplained' : name(told) };
    const key = JSON.stringify(cell);
    counts.set(key, { ...cell, leaks: (counts.get(key)?.leaks ?? 0) + 1 });
  }
  return [...counts.values()].sort((a, b) => (a.truth + ' ' + a.told < b.truth + ' ' + b.told ? -1 : 1));
}

/** A confusion table: a line for each truth, a column for each thing told, both in the order of the alphabet. */
export function confusionText(title: string, counted: readonly Cell[]): string {
  const [truths, tolds] = [[...new Set(counted.map((cell) => cell.truth))].sort(), [...new Set(counted.map((cell) => cell.told))].sort()];
  const wide = Math.max(title.length, ...truths.map((truth) => truth.length));
  const row = (first: string, rest: readonly string[]): string => [first.padEnd(wide), ...rest.map((text, at) => text.padStart(tolds[at]?.length ?? 0))].join('  ');
  return [row(title, tolds), ...truths.map((truth) => row(truth, tolds.map((told) => String(counted.find((cell) => cell.truth === truth && cell.told === told)?.leaks ?? 0))))].join('\n');
}
