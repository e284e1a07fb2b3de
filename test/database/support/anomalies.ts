/** The anomalies of the guarantees table: what the other writer does, how the database shows that it went wrong, and what each guard is to make of it. */
import type { GuardKind } from '../../../contract/guard.ts';
import type { CommitOutcome } from '../../../contract/outcome.ts';
import type { CommitRequest } from '../../../database/commit/commit.ts';
import type { TestDatabase } from '../../support/postgres.ts';
import type { Cell, Provoked } from './guarantees-table.ts';
import { committing, type Interleaved, type Order, type Writer } from './interleave.ts';
import { approve, countOf, effectsOf, propose, requestFor, toolCases, type ToolName } from './tool-cases.ts';

/** One row of the table, ready to be run. `happened` asks the database, never the outcome that was reported. */
export type Anomaly = Provoked & {
  readonly tool: ToolName;
  readonly harmful: boolean;
  readonly expected: Readonly<Record<GuardKind, Cell>>;
  /** What the other does; made before the race, from the same state that the commit's proposal was read from. */
  prepareWriter(db: TestDatabase, request: CommitRequest, order: Order): Promise<Writer<unknown>>;
  happened(db: TestDatabase, request: CommitRequest, order: Order): Promise<boolean>;
  /** Where the second is to be seen waiting, by guard, in an order with a wait. */
  waits(guard: GuardKind, order: Order, epochOn: boolean): Interleaved<unknown>['waited'];
  /** The commit's outcome where a guard stops it: the reason, or the word of the outcome. */
  readonly stopped: Readonly<Record<GuardKind, string>>;
};

const address = 'change_delivery_address';
const caught: Readonly<Record<GuardKind, Cell>> = { none: 'happens', epoch: 'prevented', version: 'prevented', predicate: 'prevented' };
const keyed: Readonly<Record<GuardKind, Cell>> = { none: 'prevented', epoch: 'prevented', version: 'prevented', predicate: 'prevented' };
const atWork = (): 'work' => 'work';

function stoppedBy(predicate: string): Readonly<Record<GuardKind, string>> {
  return { none: 'committed', epoch: 'epoch_moved', version: 'read_set_stale', predicate };
}

/** Statements with `$1` as the world, by somebody without locks of their own. */
export function writing(worldId: string, statements: readonly string[]): Writer<void> {
  return async (session) => {
    for (const statement of statements) await session.client.query(statement, [worldId]);
  };
}

async function rival(db: TestDatabase, request: CommitRequest, args = request.proposal.arguments): Promise<Writer<CommitOutcome>> {
  const other = requestFor(request.worldId, await propose(db, request.worldId, { tool: request.proposal.tool as ToolName, args }), { guard: request.guard });
  await approve(db, other);
  return committing(other);
}

/** Withdraws the policy if no label was printed yet: locks what it reads, and looks in a later statement, as the commit does. */
function withdrawIfUnused(worldId: string): Writer<boolean> {
  return async ({ client }) => {
    await client.query(`select from holdpoint.policies where world_id = $1 and tool = '${address}' for no key update`, [worldId]);
    await client.query(`select from orders.orders where world_id = $1 and order_id = 'o1' for share`, [worldId]);
    const { rowCount } = await client.query(
      `update holdpoint.policies set allowed = false where world_id = $1 and tool = '${address}' and not exists (select from orders.labels l where l.world_id = $1 and l.order_id = 'o1')`, [worldId],
    );
    return rowCount === 1;
  };
}

const labels = async (db: TestDatabase, worldId: string): Promise<number> => effectsOf(db, worldId, address);

/** A harm by a writer that came first: both its row and the effect are there. With the commit first, the same two rows are a serial order and no harm. */
const spoiled = (sql: string) => async (db: TestDatabase, { worldId }: CommitRequest, order: Order): Promise<boolean> =>
  order !== 'commit holds' && (await labels(db, worldId)) > 0 && (await countOf(db, sql, worldId)) > 0;

const withdrawn = `select count(*) from holdpoint.policies where world_id = $1 and tool = '${address}' and not allowed`;

export const anomalies: readonly Anomaly[] = [
  {
    anomaly: 'lost update', tool: 'roll_back_release', harmful: true, expected: caught, waits: atWork, stopped: stoppedBy('status_violated'),
    how: 'two episodes read the same degraded service and roll it back to different releases; it happens where both did, for then the first one is overwritten unseen.',
    prepareWriter: (db, request) => rival(db, request, toolCases.roll_back_release.otherArgs),
    happened: async (db, { worldId }) => (await effectsOf(db, worldId, 'roll_back_release')) > 1,
  },
  {
    anomaly: 'overwrite that the contract allows', tool: address, harmful: true, waits: atWork, stopped: { ...stoppedBy('committed') },
    expected: { ...caught, predicate: 'happens' },
    how: 'two episodes read the same order and change its address to different ones; the contract has no clause about the old address, so the predicate lets the later one overwrite the earlier.',
    prepareWriter: (db, request) => rival(db, request, toolCases.change_delivery_address.otherArgs),
    happened: async (db, { worldId }) => (await labels(db, worldId)) > 1,
  },
  {
    anomaly: 'write skew', tool: address, harmful: true, expected: caught, waits: atWork, stopped: stoppedBy('policy_violated'),
    how: 'one reads policy and labels and withdraws the policy because no label was printed; the commit reads the same policy and prints a label because it is in force; it happens where both did.',
    prepareWriter: (_, { worldId }) => Promise.resolve(withdrawIfUnused(worldId)),
    happened: async (db, { worldId }) => (await labels(db, worldId)) > 0 && (await countOf(db, withdrawn, worldId)) > 0,
  },
  {
    anomaly: 'phantom absence', tool: address, harmful: true, expected: caught, waits: atWork, stopped: stoppedBy('status_violated'),
    how: 'the proposal saw no hold, and somebody inserts one; it happens where a label is printed although the hold was there first.',
    prepareWriter: (_, { worldId }) => Promise.resolve(writing(worldId, [`insert into orders.holds (world_id, order_id, cause) values ($1, 'o1', 'fraud check')`])),
    happened: spoiled('select count(*) from orders.holds where world_id = $1 and not released'),
  },
  {
    anomaly: 'policy withdrawn in between', tool: address, harmful: true, expected: caught, waits: atWork, stopped: stoppedBy('policy_violated'),
    how: 'the policy allowed the action when it was proposed, and is withdrawn; it happens where a label is printed although the withdrawal was first.',
    prepareWriter: (_, { worldId }) => Promise.resolve(writing(worldId, [`update holdpoint.policies set allowed = false where world_id = $1 and tool = '${address}'`])),
    happened: spoiled(withdrawn),
  },
  {
    anomaly: 'effect already there', tool: 'record_invoice', harmful: true, expected: caught, waits: atWork, stopped: stoppedBy('already_applied'),
    how: 'a second callback records the same invoice under another op key; it happens where the invoice is posted twice.',
    prepareWriter: (db, request) => rival(db, request),
    happened: async (db, { worldId }) => (await effectsOf(db, worldId, 'record_invoice')) > 1,
  },
  {
    anomaly: 'duplicate op key', tool: address, harmful: true, expected: keyed, waits: atWork,
    stopped: { none: 'replayed', epoch: 'replayed', version: 'replayed', predicate: 'replayed' },
    how: 'the same commit is sent twice under one op key; it happens where two labels are printed.',
    prepareWriter: (_, request) => Promise.resolve(committing(request)),
    happened: async (db, { worldId }) => (await labels(db, worldId)) > 1,
  },
  {
    anomaly: 'other digest under the same key', tool: address, harmful: true, expected: keyed, waits: atWork,
    stopped: { none: 'payload_conflict', epoch: 'payload_conflict', version: 'payload_conflict', predicate: 'payload_conflict' },
    how: 'another proposal is sent under the op key of the first; it happens where both take effect, or the wrong one does.',
    prepareWriter: async (db: TestDatabase, request: CommitRequest, order: Order): Promise<Writer<CommitOutcome>> => {
      const other = requestFor(request.worldId, await propose(db, request.worldId, { tool: address, args: toolCases.change_delivery_address.otherArgs }), { guard: request.guard, opKey: request.opKey });
      // The approval is for the one that comes first: it is the key that must stop the second, not a missing approval.
      if (order !== 'commit holds') await db.owner.query('update holdpoint.approvals set digest = $2 where op_key = $1', [request.opKey, other.digest]);
      return committing(other);
    },
    happened: async (db, { worldId }) => (await labels(db, worldId)) > 1,
  },
  {
    anomaly: 'ABA', tool: address, harmful: false, waits: atWork, stopped: stoppedBy('committed'),
    expected: { none: 'commits', epoch: 'refused', version: 'refused', predicate: 'commits' },
    how: 'the order goes to packing and comes back before the commit; nothing is wrong any more.',
    prepareWriter: (_, { worldId }) => Promise.resolve(writing(worldId, ['PACKING', 'PAID'].map((status) => `update orders.orders set status = '${status}' where world_id = $1 and order_id = 'o1'`))),
    happened: () => Promise.resolve(false),
  },
  {
    anomaly: 'unrelated write', tool: address, harmful: false, stopped: { ...stoppedBy('committed'), version: 'committed' },
    expected: { none: 'commits', epoch: 'refused', version: 'commits', predicate: 'commits' },
    how: 'another order of the same world gets a note; its writer holds the epoch row when the commit comes.',
    prepareWriter: (_, { worldId }) => Promise.resolve(async (session) => {
      await session.client.query(`update orders.orders set warehouse_note = 'fragile' where world_id = $1 and order_id = 'o2'`, [worldId]);
      await session.client.query('set constraints all immediate'); // takes the epoch row now, as a transaction does on its way through COMMIT
    }),
    happened: () => Promise.resolve(false),
    waits: (guard: GuardKind, order: Order, epochOn: boolean): Interleaved<unknown>['waited'] => {
      if (!epochOn) return 'no';
      if (guard === 'epoch') return 'work';
      return order === 'writer holds' ? 'commit' : 'no';
    },
  },
];
