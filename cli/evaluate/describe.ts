/** An evaluation in words, for a terminal. */
import { parts } from './clock.ts';
import type { Finished } from './run.ts';

/** The counts a controller, where the files are, and what it took. */
export function describeEvaluation({ summary, folder, outcomes, costs }: Finished): string {
  const head = ['controller', 'unsafe', 'safe success', 'wrong effect', 'blocked: preserving', 'irrelevant', 'clean', 'mean cost', 'loss'];
  const rows = Object.entries(summary.controllers).map(([name, of]) => [name, of.unsafe, of.safeSuccess, of.wrongEffect, of.blockedPreserving, of.blockedIrrelevant, of.blockedClean, of.meanCost.toFixed(3), of.expectedLoss.toFixed(3)].map(String));
  const widths = head.map((text, column) => Math.max(text.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const table = [head, ...rows].map((row) => row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  '));
  return [...table, '', `${String(summary.decisions)} decisions, ${String(outcomes)} outcomes: ${folder}`, ...took(costs)].join('\n');
}

function took({ outcomes, elapsedMs, msByPart }: Finished['costs']): string[] {
  if (outcomes === 0) return ['Nothing was left to evaluate.'];
  const byPart = parts.map((part) => `${part} ${(msByPart[part] / outcomes).toFixed(3)}`).join(', ');
  return [`${String(outcomes)} outcomes in ${(elapsedMs / 1000).toFixed(1)} s, ${String(Math.round((outcomes / elapsedMs) * 1000))} a second; ms an outcome, waiting included: ${byPart}`];
}
