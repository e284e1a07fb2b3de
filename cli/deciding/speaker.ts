/** Whoever runs a deciding command: the bearer of a token, or a name that nothing proves. */
import { Verdict } from '../../contract/approval.ts';
import { roleUrl } from '../../database/role-url.ts';
import { createPool, type Pool } from '../../database/pool.ts';
import { identify, tokenHash } from '../../database/tokens.ts';
import { say, type Answer, type Speech } from '../../inbox/decide.ts';
import { UserError } from '../output.ts';
import { connect, type Connected } from '../runtime/client.ts';
import { decide, type DecisionResult } from '../runtime/decide.ts';
import { findSettings, type Settings } from '../runtime/settings.ts';
import { findToken } from '../runtime/token.ts';

/** The flags that say who it is. */
export type WhoFlags = { readonly tokenFile?: string; readonly by?: string };

/** What is said to one episode. */
export type Words = Speech & { readonly episodeId: string };

/** What came of it: by a token all of an answer, else what a bare update says. */
export type Spoken = DecisionResult & Partial<Answer>;

/** `person` costs a query where there is a token: null where it is in force no more. `tools`: null for all. */
export type Speaker = {
  readonly isProved: boolean;
  person(): Promise<{ readonly person: string; readonly tools: readonly string[] | null } | null>;
  say(words: Words): Promise<Spoken>;
};

/** Lets somebody speak; servers are reached when they are needed, and left at the end. @throws UserError (exit 2) for a name beside a token, or for what nobody can do without one */
export async function withSpeaker<T>(flags: WhoFlags, kind: Speech['kind'], use: (speaker: Speaker, db: Pool) => Promise<T>): Promise<T> {
  const token = await findToken(flags.tokenFile);
  if (token !== undefined && flags.by !== undefined) throw new UserError('The token says who decides: leave --by out.', 2);
  if (token === undefined && kind !== 'approve' && kind !== 'reject') throw new UserError(`Only who is authenticated can ${kind}: set HOLDPOINT_TOKEN or give --token-file (\`holdpoint token create\` makes one).`, 2);
  const settings = await findSettings();
  const db = createPool({ url: roleUrl(settings.databaseUrl, 'holdpoint_worker'), max: 4, name: 'holdpoint-decide' });
  const line = lineTo(settings);
  try {
    return await use(token === undefined ? unproved(flags.by ?? 'supervisor', line, db) : bearerOf(token, line, db), db);
  } finally {
    await line.close();
    await db.end();
  }
}

type Line = { client(): Promise<Connected['client']>; close(): Promise<void> };

function lineTo(settings: Settings): Line {
  let connected: Promise<Connected> | undefined;
  return {
    client: async () => (await (connected ??= connect(settings))).client,
    close: async () => { await (await connected?.catch(() => undefined))?.close(); },
  };
}

function bearerOf(token: string, line: Line, db: Pool): Speaker {
  return {
    isProved: true,
    person: async () => (await identify(db, tokenHash(token))) ?? null,
    say: async (words) => say({ client: await line.client(), db, via: 'cli' }, token, words),
  };
}

function unproved(by: string, line: Line, db: Pool): Speaker {
  return {
    isProved: false,
    person: () => Promise.resolve({ person: by, tools: null }),
    say: async ({ episodeId, kind, opKey, digest, comment = '' }) =>
      decide({ client: await line.client(), db }, episodeId, { opKey, digest, verdict: Verdict.parse(kind), by, comment }),
  };
}
