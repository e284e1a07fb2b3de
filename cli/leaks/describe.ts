/** Leaks for people. Ids, actors and cases are other people's texts, so nothing of them can reach the terminal's controls. */
import { shellWord } from '../../contract/shell-word.ts';
import { printable } from '../output.ts';
import type { Leak } from './entries.ts';
import type { Found } from './find.ts';

/** A leak with its address in Temporal's UI, or null where nobody told where that is. */
export type LinkedLeak = Leak & { readonly link: string | null };

/** A block a leak, the worst first, and what was looked at. */
export function describeLeaks(found: Omit<Found, 'leaks'> & { readonly leaks: readonly LinkedLeak[] }): string {
  const { leaks, total, counts, worlds } = found;
  const looked = `${String(worlds)} ${worlds === 1 ? 'world' : 'worlds'} judged`;
  const sum = total === 0 ? `No leak: ${looked}.` : `${String(total)} ${total === 1 ? 'leak' : 'leaks'}, ${looked}: ${String(counts.unexplained)} unexplained, ${String(counts.duplicate)} duplicate, ${String(counts.unsafe)} unsafe.`;
  const explain = leaks.map((leak) => (leak.episodeId === null ? null : shellWord(leak.episodeId))).find((word) => word !== null);
  return [
    ...leaks.flatMap((leak) => [...block(leak), '']),
    ...found.tables.map((text) => `In every world: ${printable(text)}.`),
    sum,
    ...(leaks.length < total ? [`The worst ${String(leaks.length)} are shown: narrow them with --batch, or raise --limit.`] : []),
    ...(explain === undefined ? [] : [`Why one happened: holdpoint explain ${explain}`]),
  ].join('\n');
}

function block(leak: LinkedLeak): string[] {
  const about = [leak.guard === null ? '' : `guard ${leak.guard}`, leak.opKey === null ? '' : `op key ${printable(leak.opKey)}`, leak.caseId === null ? '' : printable(leak.caseId), `world ${leak.worldId}`].filter((text) => text !== '');
  return [
    `${leak.kind.padEnd(11)}  ${leak.episodeId === null ? 'no episode' : printable(leak.episodeId)}`,
    `             ${leak.reasons.map((text) => printable(text)).join('; ')}`,
    `             ${about.join(', ')}`,
    ...(leak.link === null ? [] : [`             ${leak.link}`]),
  ];
}
