/** Scenes that begin where a commit was made: one is forked, one is taken back. */
import { episodeOf } from '../../database/episodes.ts';
import { askForRollback, commitToUndo } from '../../database/rollbacks.ts';
import { changeWorld } from '../../database/worlds.ts';
import { UserError } from '../output.ts';
import { startRollback } from '../runtime/client.ts';
import type { Scene } from './stage.ts';

/** A commit that leaked, because packing began while it waited for a person, and its fork under the predicates, which is refused. */
export const forked: Scene = async (stage, id) => {
  const from = `${id}/from`;
  const handle = await stage.start(from, { approval: { mode: 'manual' }, guard: { kind: 'none' } });
  await stage.held(from);
  const { worldId } = await episodeOf(stage.db, from) ?? missing(from);
  await changeWorld(stage.db, worldId, { actor: 'warehouse', reason: 'packing began', changes: [{ update: 'orders.orders', keyColumn: 'order_id', key: 'ord-48213', set: { status: 'PACKING' } }] });
  await stage.approve(from);
  await handle.result();
  await (await stage.start(id, { fork: { episodeId: from } })).result();
  return { workflowId: id };
};

/** A commit that a person proposes to take back, and another approves. */
export const takenBack: Scene = async (stage, id) => {
  const from = `${id}/from`;
  await (await stage.start(from, {})).result();
  const commit = await commitToUndo(stage.db, `${from}:1`) ?? missing(from);
  const { episodeId: rollbackId } = await askForRollback(stage.db, commit, { proposer: 'person:maria.lindqvist', windowMs: 3_600_000 });
  await startRollback(stage.client, rollbackId, stage.starting);
  await stage.say('supervisor', await stage.held(rollbackId), { kind: 'approve' });
  await stage.client.workflow.getHandle(rollbackId).result();
  return { workflowId: rollbackId };
};

function missing(episodeId: string): never {
  throw new UserError(`${episodeId} left nothing in the database.`);
}
