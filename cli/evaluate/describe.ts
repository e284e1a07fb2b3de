/** An evaluation in words, for a terminal. */
import type { ReplanningCounts } from '../../analysis/study/replanning.ts';
import type { StudyCounts } from '../../analysis/study/study-counts.ts';
import { ReplanKind } from '../../contract/replanned.ts';
import { parts } from './clock.ts';
import type { Replanning } from './replan/run.ts';
import type { Finished } from './run.ts';

/** The counts a controller for each proposer, where the files are, and what it took. */
export function describeEvaluation({ summary, folder, outcomes, costs }: Finished, replanning: Replanning | null): string {
  const tables = summary.proposers.flatMap(({ proposer, json }) => [
    `${proposer}, ${String(json.decisions)} decisions\n${tableOf(json.controllers)}\n`,
    ...(replanning?.[proposer] === undefined ? [] : [`${proposer}, asked again\n${describeReplanning(replanning[proposer])}\n`]),
  ]);
  return [...tables, `${String(outcomes)} outcomes: ${folder}`, ...took(costs)].join('\n');
}

const head = ['controller', 'unsafe', 'safe success', 'wrong effect', 'blocked: preserving', 'irrelevant', 'clean', 'mean cost', 'loss'];

const figure = (value: number | null): string => value?.toFixed(3) ?? '-';

function tableOf(controllers: StudyCounts['controllers']): string {
  const rows = Object.entries(controllers).map(([name, of]) => [
    name, ...[of.unsafe, of.safeSuccess, of.wrongEffect, of.blockedPreserving, of.blockedIrrelevant, of.blockedClean].map(String), figure(of.meanCost), figure(of.expectedLoss),
  ]);
  return aligned([head, ...rows]);
}

const replanHead = ['what went back', 'population', 'replanned', 'abstained', 'failed', 'unsafe', 'rate', 'among re-commits', 'safe success', 'ms a round trip'];

/** All decisions of each kind, then those on which the version guard fires: on these the kinds are compared. */
function describeReplanning({ whole, matched }: ReplanningCounts): string {
  const rows = ([['all', whole], ['matched', matched]] as const).flatMap(([name, counts]) => ReplanKind.options.map((kind) => {
    const of = counts[kind];
    return [`${kind}, ${name}`, ...[of.population, of.replanned, of.abstained, of.failed, of.unsafe].map(String), figure(of.unsafeRate), figure(of.unsafeAmongRecommits), String(of.safeSuccess), of.meanRoundTripMs === null ? '-' : String(of.meanRoundTripMs)];
  }));
  return aligned([replanHead, ...rows]);
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ')).join('\n');
}

function took({ outcomes, elapsedMs, msByPart }: Finished['costs']): string[] {
  if (outcomes === 0) return ['Nothing was left to evaluate.'];
  const byPart = parts.map((part) => `${part} ${(msByPart[part] / outcomes).toFixed(3)}`).join(', ');
  return [`${String(outcomes)} outcomes in ${(elapsedMs / 1000).toFixed(1)} s, ${String(Math.round((outcomes / elapsedMs) * 1000))} a second; ms an outcome, waiting included: ${byPart}`];
}
