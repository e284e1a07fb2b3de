/** Composes the inbox from the database, the episodes' door and what the scenarios say. */
import type { Client } from '@temporalio/client';
import { roleUrl } from '../../database/role-url.ts';
import { createPool } from '../../database/pool.ts';
import { previewProposal } from '../../database/preview.ts';
import { sayAs } from '../../inbox/decide.ts';
import { serveInbox, type RunningInbox } from '../../inbox/server.ts';
import { startSweep } from '../../inbox/sweep.ts';
import { planOf } from '../../scenarios/plan.ts';
import { say, UserError, wholeNumber } from '../output.ts';
import { linksOf, type Ui } from '../start/links.ts';

/** The port where none is named; where it is taken, any free one. */
export const inboxPort = 8265;

/** The option's value as a port; 0: any free one. */
export const portNumber = (flag: string): ((text: string) => number) => wholeNumber(flag, { min: 0, max: 65_535 });

/** Between two looks for what was let in and did not arrive. */
export const sweepEveryMs = 2_000;

/** What it runs on. `port`: as named, or undefined. */
export type InboxSite = { readonly client: Client; readonly databaseUrl: string; readonly ui: Ui | undefined; readonly port: number | undefined };

/** Serves until it is closed. @throws UserError where the named port is taken */
export async function openInbox({ client, databaseUrl, ui, port }: InboxSite): Promise<RunningInbox> {
  const pool = createPool({ url: roleUrl(databaseUrl, 'holdpoint_worker'), max: 8, name: 'holdpoint-inbox' });
  try {
    const inbox = await serveInbox({
      pool, say: (tokenHash, speech) => sayAs({ client, db: pool, via: 'inbox' }, tokenHash, speech), preview: (worldId, proposal) => previewProposal(pool, worldId, proposal),
      instructionOf, episodeLink: (episodeId) => linksOf(ui, '', episodeId)?.episode ?? null,
    }, { port: port ?? inboxPort, fallback: port === undefined, onError: say });
    const sweep = startSweep({ client, db: pool }, { everyMs: sweepEveryMs, onError: say });
    return { url: inbox.url, close: async () => { await inbox.close(); await sweep.stop(); await pool.end(); } };
  } catch (error) {
    await pool.end();
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') throw new UserError(`Port ${String(port)} is taken: name another one, or none.`);
    throw error;
  }
}

/** What the agent was asked; a case that an older version knew has no words any more. */
function instructionOf(caseId: string): string | null {
  try {
    return planOf(caseId).instruction;
  } catch {
    return null;
  }
}
