/** `holdpoint audit`: one episode from its proposal to its commit or refusal, with everything that was said, as a timeline. */
import { guardLabel } from '../contract/names.ts';
import { recordOf, type EpisodeRecord } from '../database/episode-record.ts';
import { roleUrl } from '../database/role-url.ts';
import { createPool, type Pool } from '../database/pool.ts';
import { boundaryText, foundText } from '../explain/sentences.ts';
import { timelineOf, type TimelineEntry } from '../explain/timeline.ts';
import { printable, printResult, UserError, type CommandModule } from './output.ts';
import { findSettings } from './runtime/settings.ts';

/** Exit code 0, also while the episode runs; 1 where nothing is known of it. With the reader's rights. */
export const registerAudit: CommandModule = (program) => {
  program
    .command('audit')
    .description('Show what an episode proposed, who said what, what the commit found, and why it was let through or refused.')
    .argument('<episodeId>', 'as `holdpoint approvals` or Temporal shows it')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExamples:\n  $ holdpoint audit my-episode\n  $ holdpoint audit my-episode --json')
    .action(async (episodeId: string, options: { json?: boolean }) => {
      const pool = createPool({ url: roleUrl((await findSettings()).databaseUrl, 'holdpoint_reader'), max: 2, name: 'holdpoint-audit' });
      try {
        const audit = await auditOf(pool, episodeId);
        printResult(options, audit, () => describe(audit));
      } finally {
        await pool.end();
      }
    });
};

/** What `holdpoint audit --json` prints. */
export type Audit = Pick<EpisodeRecord, 'boundary' | 'said'> & {
  readonly episodeId: string; readonly caseId: string | null; readonly model: string | null; readonly guard: string | null; readonly outcome: unknown; readonly timeline: readonly TimelineEntry[];
};

/** Reads it all. @throws UserError where nothing is known of the episode */
export async function auditOf(pool: Pool, episodeId: string): Promise<Audit> {
  const record = await recordOf(pool, episodeId);
  if (record === undefined) throw new UserError(`Nothing is known of an episode "${printable(episodeId)}": \`holdpoint approvals\` lists what waits.`);
  const { episode, boundary, said } = record;
  const outcome = episode?.outcome ?? null;
  return { episodeId, caseId: episode?.caseId ?? null, model: episode?.model ?? null, guard: episode === undefined ? null : guardLabel({ kind: episode.guard, without: episode.without }), outcome, boundary, said, timeline: timelineOf({ ...record, outcome }) };
}

/** For people. Ids, names and comments are other people's texts, so nothing of them can reach the terminal's controls. */
export function describe(audit: Audit): string {
  const day = audit.timeline[0]?.at.slice(0, 10) ?? '';
  const lines = audit.timeline.map((one) => `${one.at.slice(0, 10) === day ? one.at.slice(11, 23) : one.at}  ${one.step === null ? '       ' : `step ${String(one.step).padEnd(2)}`}  ${printable(one.event).padEnd(18)}${one.who === '' ? '' : `${printable(one.who)}: `}${printable(one.text, 600)}`);
  const steps = audit.boundary.map((row) => `Step ${String(row.step)}, ${printable(row.tool)}: ${boundaryText(row)}${row.lockedAt === null ? '' : `. Under the locks: ${printable(foundText(row), 600)}`}.`);
  const what = audit.caseId === null ? '' : `: ${printable(audit.caseId)} by ${printable(audit.model ?? '')}, guard ${audit.guard ?? ''}`;
  return [`Episode ${printable(audit.episodeId)}${what}. Times are UTC, ${day}, by the database's clock.`, '', ...lines, '', ...steps].join('\n');
}
