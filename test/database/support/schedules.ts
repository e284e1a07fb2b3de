/** Random schedules of commits and other writers over barriers, and a model without locks in which their serial order is checked. */
import type { GuardKind } from '../../../contract/guard.ts';
import { commitQuery, outcomeOf, type CommitRequest } from '../../../database/commit/commit.ts';
import type { TestDatabase } from '../../support/postgres.ts';
import { kept, standingOf, withSessions, type Session } from './sessions.ts';
import { approve, guardOf, propose, requestFor, seedFor } from './tool-cases.ts';

/** What somebody else may do to the order `o1` of a world. */
export const mutations = ['withdraw', 'restore', 'hold', 'release', 'pack', 'unpack', 'note', 'unrelated'] as const;
export type Mutation = (typeof mutations)[number];

/** A commit of the address, or a mutation. */
export type Operation = { readonly commit: string } | { readonly mutate: Mutation };

/** Operations, and whose next step is taken: each operation has two, its work and its COMMIT. */
export type Schedule = { readonly operations: readonly Operation[]; readonly turns: readonly number[] };

/** What became of a schedule: the outcomes in the order of operations, and whether each commit was safe where the history puts it. */
export type Played = { readonly outcomes: readonly (string | null)[]; readonly unsafe: readonly string[]; readonly unexplained: readonly string[]; readonly waits: number };

const statements: Readonly<Record<Mutation, string>> = {
  withdraw: `update holdpoint.policies set allowed = false where world_id = $1`,
  restore: `update holdpoint.policies set allowed = true where world_id = $1`,
  hold: `insert into orders.holds (world_id, order_id, cause) values ($1, 'o1', 'fraud check')`,
  release: `update orders.holds set released = true where world_id = $1 and not released`,
  pack: `update orders.orders set status = 'PACKING' where world_id = $1 and order_id = 'o1'`,
  unpack: `update orders.orders set status = 'PAID' where world_id = $1 and order_id = 'o1'`,
  note: `update orders.orders set warehouse_note = warehouse_note || '.' where world_id = $1 and order_id = 'o1'`,
  unrelated: `update orders.orders set warehouse_note = warehouse_note || '.' where world_id = $1 and order_id = 'o2'`,
};

/** Plays a schedule on a fresh world with real connections, a step at a time: the next step is taken once the last is answered or seen waiting. */
export async function play(db: TestDatabase, guard: GuardKind, schedule: Schedule): Promise<Played> {
  const worldId = await seedFor(db, 'change_delivery_address');
  const requests: (CommitRequest | null)[] = [];
  for (const operation of schedule.operations) requests.push('commit' in operation ? await requestOf(db, { worldId, address: operation.commit, guard }) : null);
  return withSessions(db.pool, schedule.operations.length, async (...sessions) => {
    const works = schedule.operations.map((operation, index) => workOf(operation, { worldId, session: sessions[index], request: requests[index] ?? null }));
    const chains: Promise<unknown>[] = schedule.operations.map(() => Promise.resolve());
    const outcomes: (string | null)[] = schedule.operations.map(() => null);
    const steps = schedule.operations.map(() => 0);
    let waits = 0;
    for (const turn of schedule.turns) {
      const session = sessions[turn];
      if (session === undefined || (steps[turn] ?? 2) >= 2) continue;
      const isWork = steps[turn] === 0;
      steps[turn] = (steps[turn] ?? 0) + 1;
      // A step behind one that waits is taken when that one is answered.
      const asked = kept((chains[turn] ?? Promise.resolve()).then(async () => {
        if (isWork) outcomes[turn] = (await works[turn]?.()) ?? null;
        else await session.client.query('commit');
      }));
      chains[turn] = asked;
      if ((await standingOf(db.owner, session, asked)) === 'waiting') waits += 1;
    }
    await Promise.all(chains);
    return { outcomes, waits, ...(await judge(db, { worldId, requests, outcomes })) };
  });
}

async function requestOf(db: TestDatabase, { worldId, address, guard }: { worldId: string; address: string; guard: GuardKind }): Promise<CommitRequest> {
  const proposal = await propose(db, worldId, { tool: 'change_delivery_address', args: { orderId: 'o1', newAddress: address } });
  const request = requestFor(worldId, proposal, { guard: guardOf(guard) });
  await approve(db, request);
  return request;
}

function workOf(operation: Operation, { worldId, session, request }: { worldId: string; session: Session | undefined; request: CommitRequest | null }): () => Promise<string | null> {
  return async () => {
    if (session === undefined) return null;
    await session.client.query('begin');
    if ('mutate' in operation) {
      await session.client.query(statements[operation.mutate], [worldId]);
      return null;
    }
    if (request === null) return null;
    const { rows } = await session.client.query<{ answer: string }>(commitQuery(request));
    const outcome = outcomeOf(rows[0]?.answer ?? '', request);
    return outcome.outcome === 'rejected' ? outcome.reason : outcome.outcome;
  };
}

type State = { allowed: boolean; status: string; address: string; versions: string; labels: string[]; holds: Map<string, boolean>; epoch: string };
type Change = { epoch: string; table_name: string; key: string; new_row: Record<string, unknown>; op_key: string | null };

/**
 * The serial order is the order of epochs. Before each commit's epoch the full predicate is asked of the model, and, by guard, versions and epoch;
 * a refusal is explained where its reason held at some place of the order.
 */
async function judge(db: TestDatabase, { worldId, requests, outcomes }: { worldId: string; requests: readonly (CommitRequest | null)[]; outcomes: readonly (string | null)[] }): Promise<Pick<Played, 'unsafe' | 'unexplained'>> {
  const { rows } = await db.owner.query<Change>('select epoch, table_name, key, new_row, op_key from holdpoint.row_history where world_id = $1 order by epoch, id', [worldId]);
  const state: State = { allowed: false, status: '', address: '', versions: '', labels: [], holds: new Map(), epoch: '0' };
  const versions = new Map<string, string>();
  const seen: Record<string, Set<boolean>> = {};
  const unsafe: string[] = [];
  const transactions = [...new Set(rows.map((row) => row.epoch))].map((epoch) => rows.filter((row) => row.epoch === epoch));
  for (const changes of transactions) {
    const request = requests.find((one) => one !== null && one.opKey === changes[0]?.op_key);
    if (request) {
      const broken = violations(state, request);
      if (request.guard.kind === 'version' && state.versions !== request.proposal.readSet.map((row) => row.version).join()) broken.push('versions');
      if (request.guard.kind === 'epoch' && state.epoch !== request.proposal.epoch) broken.push('epoch');
      if (broken.length > 0) unsafe.push(`${request.opKey}: ${broken.join(', ')}`);
    }
    for (const change of changes) apply(state, versions, change);
    for (const one of requests)
      if (one) {
        const broken = violations(state, one);
        (seen[one.opKey] ??= new Set()).add(broken.length > 0 || (one.guard.kind !== 'predicate' && state.epoch !== one.proposal.epoch));
      }
  }
  const unexplained = requests.flatMap((request, index) => (request && outcomes[index] !== 'committed' && seen[request.opKey]?.has(true) !== true ? [`${request.opKey}: ${String(outcomes[index])}`] : []));
  const effects = new Set(rows.flatMap((row) => (row.op_key === null ? [] : [row.op_key])));
  for (const [index, request] of requests.entries())
    if (request && effects.has(request.opKey) !== (outcomes[index] === 'committed')) unsafe.push(`${request.opKey}: the answer and the effect differ`);
  return { unsafe, unexplained };
}

function violations(state: State, request: CommitRequest): string[] {
  const address = String(request.proposal.arguments['newAddress']);
  return [
    ...(['PAID', 'QUEUED'].includes(state.status) && [...state.holds.values()].every((released) => released) ? [] : ['status']),
    ...(state.allowed ? [] : ['policy']),
    ...(state.address === (state.labels.at(-1) ?? state.address) ? [] : ['integrity']),
    ...(state.labels.includes(address) ? ['notApplied'] : []),
  ];
}

function apply(state: State, versions: Map<string, string>, { table_name, key, new_row, epoch }: Change): void {
  state.epoch = epoch;
  if (table_name === 'holdpoint.policies') state.allowed = new_row['allowed'] === true;
  if (table_name === 'orders.orders' && key === 'o1') {
    state.status = String(new_row['status']);
    state.address = String(new_row['delivery_address']);
  }
  if (table_name === 'orders.labels') state.labels.push(String(new_row['address']));
  if (table_name === 'orders.holds') state.holds.set(key, new_row['released'] === true);
  versions.set(`${table_name}/${key}`, String(new_row['version']));
  state.versions = [versions.get('holdpoint.policies/change_delivery_address'), versions.get('orders.orders/o1')].join();
}
