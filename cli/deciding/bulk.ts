/** One decision about many requests: first what it would do and a digest of that, then exactly that, or nothing. */
import { digestOf } from '../../contract/digest.ts';
import { waitingRequests, type WaitingRow } from '../../database/waiting.ts';
import type { Speech } from '../../inbox/decide.ts';
import { unknownToken } from '../../inbox/sentences.ts';
import { filterOf, forPerson, type FilterFlags } from '../approvals/filter.ts';
import { shownRequest, table } from '../approvals/table.ts';
import { bounded } from '../endure/bounded.ts';
import { printable, printResult, say, UserError } from '../output.ts';
import { listenForEnd } from '../start/ending.ts';
import { sentence } from './one.ts';
import { withSpeaker, type Speaker, type Spoken, type WhoFlags } from './speaker.ts';

/** The flags of many decisions. `confirm`: the digest that the dry run printed. */
export type BulkFlags = WhoFlags & FilterFlags & { readonly json?: boolean; readonly comment: string; readonly to?: string; readonly confirm?: string };

type Selection = { readonly kind: Speech['kind']; readonly person: string; readonly rows: readonly WaitingRow[]; readonly digest: string };

/** Most requests at once, and most decisions on their way at once. */
const [most, atOnce] = [10_000, 8];

/** Without `confirm` it only says what it would do. @throws UserError where the selection has changed since it was shown */
export async function decideMany(kind: Speech['kind'], flags: BulkFlags): Promise<void> {
  const filter = filterOf(flags);
  await withSpeaker(flags, kind, async (speaker, db) => {
    const who = await speaker.person();
    if (who === null) throw new UserError(unknownToken);
    const { rows, total } = await waitingRequests(db, forPerson(filter, who), { limit: most });
    if (total > most) throw new UserError(`${String(total)} requests are meant, and at most ${String(most)} are decided at once: narrow the selection.`);
    const selection: Selection = { kind, person: who.person, rows, digest: selectionDigest({ kind, to: flags.to, person: who.person }, rows) };
    if (flags.confirm === undefined) dryRun(selection, flags);
    else if (flags.confirm !== selection.digest) throw new UserError('The selection is not the one that was shown: run the same command without --confirm, and look again.');
    else await decideAll(speaker, selection, flags);
  });
}

/** Covers who, what, to whom, and every proposal, in an order that does not depend on the list's. */
function selectionDigest({ kind, to, person }: { kind: string; to: string | undefined; person: string }, rows: readonly WaitingRow[]): string {
  return digestOf([kind, to ?? null, person, rows.map((row) => `${row.digest} ${row.opKey}`).sort()]);
}

function dryRun({ kind, person, rows, digest }: Selection, flags: BulkFlags): void {
  printResult(flags, { dryRun: true, kind, person, selection: digest, total: rows.length, requests: rows.map(shownRequest) }, () => (rows.length === 0
    ? `Nothing that ${printable(person)} could ${kind} waits.`
    : `${table(rows, Date.now())}\nWould ${kind} ${String(rows.length)} as ${printable(person)}. Nothing was done. To do it, run the same command with\n  --confirm ${digest}`));
}

async function decideAll(speaker: Speaker, { kind, person, rows, digest }: Selection, flags: BulkFlags): Promise<void> {
  const ending = listenForEnd('Interrupted: what was decided so far stands; without --confirm the same command shows what is left.', 'what was decided so far stands.');
  const results: ({ readonly episodeId: string; readonly opKey: string } & Spoken)[] = [];
  try {
    await bounded(rows, { most: atOnce, signal: ending.signal }, async ({ episodeId, opKey, digest: proposal }) => {
      const answer = await speaker.say({ episodeId, kind, opKey, digest: proposal, comment: flags.comment, ...(flags.to !== undefined && { to: flags.to }) });
      results.push({ episodeId, opKey, ...answer });
      if (results.length % 100 === 0) say(`${String(results.length)} of ${String(rows.length)}`);
    });
  } finally {
    ending.release();
  }
  const count = (result: Spoken['result']): number => results.filter((answer) => answer.result === result).length;
  const counts = { accepted: count('accepted'), refused: count('refused'), unknown: count('unknown') };
  const failed = results.filter((answer) => answer.result !== 'accepted');
  printResult(flags, { dryRun: false, kind, person, selection: digest, total: rows.length, ...counts, authenticated: speaker.isProved, results }, () => [
    `${String(counts.accepted)} of ${String(rows.length)} accepted, ${String(counts.refused)} refused, ${String(counts.unknown)} without an answer.`,
    ...failed.map((answer) => `${printable(answer.episodeId, 1_100)}: ${sentence(answer)}`),
  ].join('\n'));
  if (failed.length > 0) process.exitCode = 1;
}
