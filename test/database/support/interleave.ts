/** Runs a guarded commit against another writer in one of three orders, both on connections of their own, and says who waited where. */
import { commitQuery, outcomeOf, type CommitRequest } from '../../../database/commit/commit.ts';
import type { CommitOutcome } from '../../../contract/outcome.ts';
import type { TestDatabase } from '../../support/postgres.ts';
import { kept, send, standingOf, withSessions, type Session } from './sessions.ts';

/** Who is first: the writer is through before the commit asks; the writer holds its locks when the commit asks; the commit holds its locks when the writer asks. */
export type Order = 'writer before' | 'writer holds' | 'commit holds';
export const orders: readonly Order[] = ['writer before', 'writer holds', 'commit holds'];

/** What somebody else does inside an open transaction. */
export type Writer<T> = (session: Session) => Promise<T>;

/** `waited`: where the second of the two was seen waiting for the first: at its work, at its COMMIT, or not at all. */
export type Interleaved<T> = { readonly outcome: CommitOutcome; readonly written: T; readonly waited: 'work' | 'commit' | 'no' };

/** The guarded commit inside an open transaction. */
export function committing(request: CommitRequest): Writer<CommitOutcome> {
  return async (session) => {
    const { rows } = await session.client.query<{ answer: string }>(commitQuery(request));
    return outcomeOf(rows[0]?.answer ?? '', request);
  };
}

/** Runs the two in the given order. */
export async function interleave<T>(db: TestDatabase, request: CommitRequest, { order, writer }: { order: Order; writer: Writer<T> }): Promise<Interleaved<T>> {
  return withSessions(db.pool, 2, async (a, b) => {
    if (order === 'commit holds') {
      const result = await inOrder(db, { session: a, work: committing(request) }, { session: b, work: writer });
      return { outcome: result.first, written: result.second, waited: result.waited };
    }
    if (order === 'writer holds') {
      const result = await inOrder(db, { session: a, work: writer }, { session: b, work: committing(request) });
      return { outcome: result.second, written: result.first, waited: result.waited };
    }
    const written = await whole({ session: a, work: writer });
    return { outcome: await whole({ session: b, work: committing(request) }), written, waited: 'no' };
  });
}

type Party<T> = { readonly session: Session; readonly work: Writer<T> };

async function whole<T>({ session, work }: Party<T>): Promise<T> {
  await session.client.query('begin');
  const result = await work(session);
  await session.client.query('commit');
  return result;
}

/** The first works and stays open; the second works until it waits or is through; then the first commits. */
async function inOrder<A, B>(db: TestDatabase, first: Party<A>, second: Party<B>): Promise<{ first: A; second: B; waited: Interleaved<B>['waited'] }> {
  await first.session.client.query('begin');
  const firstResult = await first.work(first.session);
  await second.session.client.query('begin');
  const asked = kept(second.work(second.session));
  let waited: Interleaved<B>['waited'] = 'no';
  if ((await standingOf(db.owner, second.session, asked)) === 'waiting') {
    waited = 'work';
    await first.session.client.query('commit');
    await asked;
    await second.session.client.query('commit');
  } else {
    const ending = send(second.session, 'commit');
    if ((await standingOf(db.owner, second.session, ending)) === 'waiting') waited = 'commit';
    await first.session.client.query('commit');
    await ending;
  }
  return { first: firstResult, second: await asked, waited };
}
