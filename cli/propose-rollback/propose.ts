/** Proposes a rollback in somebody's name: refuses at once what cannot be, keeps the request, and starts the workflow that holds it. */
import { failures } from '../../contract/failures.ts';
import { rollbackTool } from '../../contract/names.ts';
import { changeInWords, type Preview } from '../../contract/preview.ts';
import { roleUrl } from '../../database/role-url.ts';
import { createPool, type Pool } from '../../database/pool.ts';
import { previewProposal } from '../../database/preview.ts';
import { askForRollback, commitToUndo, mostOpKeyLength, rollbackProposal, type CommitToUndo } from '../../database/rollbacks.ts';
import { isStorable } from '../../database/storable.ts';
import { toolContract } from '../../guards/tools/index.ts';
import { printable, UserError } from '../output.ts';
import { connect, startRollback } from '../runtime/client.ts';
import { findSettings } from '../runtime/settings.ts';
import { proposerOf, type ProposerFlags } from './proposer.ts';

/** How to propose. `windowMs`: how long it can be decided. */
export type ProposeFlags = ProposerFlags & { readonly windowMs: number };

/** What waits now. `changes`: what would be written, a sentence a row; `waitedAlready`: the same person had asked before, and that request stands. */
export type ProposedRollback = {
  readonly rollbackId: string; readonly opKey: string; readonly rollsBack: string; readonly digest: string; readonly proposer: string;
  readonly expiresAt: string; readonly change: Preview['change']; readonly changes: readonly string[]; readonly waitedAlready: boolean;
};

const longestWindowMs = 30 * 86_400_000;

/** Asks. Said again, it finishes what was begun and asks for nothing twice. @throws UserError for whatever is refused, in a sentence */
export async function askAsPerson(opKey: string, flags: ProposeFlags): Promise<ProposedRollback> {
  if (flags.windowMs < 1 || flags.windowMs > longestWindowMs) throw new UserError('--window takes 1s to 30d.', 2);
  const settings = await findSettings();
  const db = createPool({ url: roleUrl(settings.databaseUrl, 'holdpoint_worker'), max: 2, name: 'holdpoint-propose-rollback' });
  try {
    const commit = await found(db, opKey);
    const asked = { proposer: await proposerOf(db, commit, flags), windowMs: flags.windowMs };
    const preview = await previewProposal(db, commit.worldId, rollbackProposal(commit, asked));
    if (preview.refusal !== undefined) throw new UserError(`The commit ${printable(opKey, 600)} cannot be taken back (${preview.refusal}): ${failures[preview.refusal].sentence}${rowsOf(preview)}`);
    const line = await connect(settings);
    try {
      const request = await askForRollback(db, commit, asked);
      if (request.proposer !== asked.proposer) throw new UserError(`${printable(request.proposer)} has asked for this already: \`holdpoint show ${printable(request.episodeId, 600)}\` shows what waits.`);
      const isNew = await startRollback(line.client, request.episodeId, settings);
      const { digest, expiresAt, proposer } = request;
      return { rollbackId: request.episodeId, opKey: request.opKey, rollsBack: commit.opKey, digest, proposer, expiresAt, change: preview.change, changes: changeInWords(preview), waitedAlready: !isNew };
    } finally {
      await line.close();
    }
  } finally {
    await db.end();
  }
}

/** @throws UserError where no commit of this op key can ever be taken back */
async function found(db: Pool, opKey: string): Promise<CommitToUndo> {
  const shown = printable(opKey, 600);
  const commit = isStorable(opKey) && opKey.length <= mostOpKeyLength ? await commitToUndo(db, opKey) : undefined;
  if (commit === undefined) throw new UserError(`Nothing was committed under the op key "${shown}": it is an episode, a colon and a step, as \`holdpoint audit\` shows it.`);
  if (commit.tool === rollbackTool) throw new UserError(`${shown} is a rollback itself: propose the action anew instead.`);
  if (commit.rolledBackBy !== null) throw new UserError(`${shown} was taken back already, by ${printable(commit.rolledBackBy, 1_100)}.`);
  const why = toolContract(commit.tool)?.irreversible;
  if (why !== undefined) throw new UserError(`The commit ${shown} (${printable(commit.tool)}) cannot be taken back: ${why}`);
  return commit;
}

function rowsOf({ change }: Preview): string {
  return change.state === 'impossible' ? ` ${printable(change.why, 400)}.` : '';
}

