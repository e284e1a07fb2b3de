/** What the inbox is given by whoever composes it: the database, the door for decisions, and what other rooms know. */
import type { Preview } from '../contract/preview.ts';
import type { Proposal } from '../contract/proposal.ts';
import type { Pool } from '../database/pool.ts';
import type { Answer, Speech } from './decide.ts';

/** The parts. Functions come from the composition root, so that the room knows neither tools nor scenarios. */
export type InboxParts = {
  /** With the worker's rights. */
  readonly pool: Pool;
  /** Says something in the name of the token with this SHA-256. Never throws for an expected refusal. */
  readonly say: (tokenHash: string, speech: Speech) => Promise<Answer>;
  /** What the proposal would do to the world as it is now. It writes nothing; a TypeError says that the tool is not known. */
  readonly preview: (worldId: string, proposal: Proposal) => Promise<Preview>;
  /** What the agent was asked to do, in words; null where nobody knows. */
  readonly instructionOf: (caseId: string) => string | null;
  /** The episode in Temporal's UI, or null where its address is not known. */
  readonly episodeLink: (episodeId: string) => string | null;
};
