/** What the inbox is given by whoever composes it: the database, the door for decisions, and what other rooms know. */
import type { Reason } from '../contract/failures.ts';
import type { Proposal } from '../contract/proposal.ts';
import type { Said } from '../database/decisions.ts';
import type { Pool } from '../database/pool.ts';

/** What became of something that was said. `unknown`: the episode did not answer in time; saying the same again asks again. `recorded`: what stands. */
export type SayResult = {
  readonly result: 'accepted' | 'refused' | 'unknown'; readonly reason: Reason | null; readonly message: string; readonly person: string;
  readonly recorded: { readonly verdict: string; readonly by: string } | null;
};

/** One row that a proposal would write now. `key`: null where a sequence is to give it. An absent `before` or `after`: the row is not there then. Versions are decimal text. */
export type RowChange = {
  readonly kind: 'insert' | 'update' | 'delete'; readonly table: string; readonly key: string | null; readonly versionBefore: string | null; readonly versionAfter: string | null;
  readonly columns: readonly { readonly column: string; readonly before?: unknown; readonly after?: unknown }[];
};

/** The exact change, or why it cannot be shown. `busy`: somebody holds one of the rows; `gone`: a row is not there; `impossible`: the tables or the tool refuse it. */
export type Change =
  | { readonly state: 'shown'; readonly rows: readonly RowChange[] } | { readonly state: 'busy' }
  | { readonly state: 'gone'; readonly missing: readonly string[] } | { readonly state: 'impossible'; readonly why: string };

/** One line of an episode's history. `at`: ISO 8601, by the database's clock. */
export type TimelineEntry = {
  readonly at: string; readonly what: string; readonly who: string; readonly detail: string;
  /** How it is marked: as what it was, never by colour alone. */
  readonly tone: 'asked' | 'said' | 'refused' | 'changed' | 'committed' | 'ended';
};

/** The parts. Functions come from the composition root, so that the room knows neither tools nor scenarios. */
export type InboxParts = {
  /** With the worker's rights. */
  readonly pool: Pool;
  /** Says something in the name of the token with this SHA-256. Never throws for an expected refusal. */
  readonly say: (tokenHash: string, said: Said) => Promise<SayResult>;
  /** The exact change that the proposal would make to the world as it is now. It writes nothing. */
  readonly preview: (worldId: string, proposal: Proposal) => Promise<Change>;
  /** What the agent was asked to do, in words; null where nobody knows. */
  readonly instructionOf: (caseId: string) => string | null;
  /** The episode in Temporal's UI, or null where its address is not known. */
  readonly episodeLink: (episodeId: string) => string | null;
};
