/** An evaluation in words, for a terminal. */
import type { StudyCounts } from '../../analysis/study/study-counts.ts';
import { parts } from './clock.ts';
import type { Finished } from './run.ts';

/** The counts a controller for each proposer, where the files are, and what it took. */
export function describeEvaluation({ summary, folder, outcomes, costs }: Finished): string {
  const tables = summary.proposers.map(({ proposer, json }) => `${proposer}, ${String(json.decisions)} decisions\n${tableOf(json.controllers)}\n`);
  return [...tables, `${String(outcomes)} outcomes: ${folder}`, ...took(costs)].join('\n');
}

const head = ['controller', 'unsafe', 'safe success', 'wrong effect', 'blocked: preserving', 'irrelevant', 'clean', 'mean cost', 'loss'];

function tableOf(controllers: StudyCounts['controllers']): string {
  const figure = (value: number | null): string => value?.toFixed(3) ?? '-';
  const rows = Object.entries(controllers).map(([name, of]) => [
    name, ...[of.unsafe, of.safeSuccess, of.wrongEffect, of.blockedPreserving, of.blockedIrrelevant, of.blockedClean].map(String), figure(of.meanCost), figure(of.expectedLoss),
  ]);
  const widths = head.map((text, column) => Math.max(text.length, ...rows.map((row) => row[column]?.length ?? 0)));
  return [head, ...rows].map((row) => row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ')).join('\n');
}

function took({ outcomes, elapsedMs, msByPart }: Finished['costs']): string[] {
  if (outcomes === 0) return ['Nothing was left to evaluate.'];
  const byPart = parts.map((part) => `${part} ${(msByPart[part] / outcomes).toFixed(3)}`).join(', ');
  return [`${String(outcomes)} outcomes in ${(elapsedMs / 1000).toFixed(1)} s, ${String(Math.round((outcomes / elapsedMs) * 1000))} a second; ms an outcome, waiting included: ${byPart}`];
}
