/** Who proposes a rollback: the bearer of a token, or a name where the policy takes what nothing proves. */
import type { Queryable } from '../../database/pool.ts';
import type { CommitToUndo } from '../../database/rollbacks.ts';
import { identify, nameProblem, tokenHash } from '../../database/tokens.ts';
import { unknownToken } from '../../inbox/sentences.ts';
import { printable, UserError } from '../output.ts';
import { findToken } from '../runtime/token.ts';

/** The flags that say who it is. */
export type ProposerFlags = { readonly tokenFile?: string; readonly by?: string };

/** `person:<name>`, so that the same person cannot decide about it. @throws UserError where it is not known who proposes, or they may not */
export async function proposerOf(db: Queryable, commit: CommitToUndo, { tokenFile, by }: ProposerFlags): Promise<string> {
  const token = await findToken(tokenFile);
  if (token !== undefined) {
    if (by !== undefined) throw new UserError('The token says who proposes: leave --by out.', 2);
    const bearer = await identify(db, tokenHash(token));
    if (bearer === undefined) throw new UserError(unknownToken);
    if (!bearer.scopes.includes('edit')) throw new UserError('The token was not made for proposing: that takes the scope edit.');
    if (bearer.tools !== null && !bearer.tools.includes(commit.tool)) throw new UserError(`The token was not made for the tool ${printable(commit.tool)}.`);
    return `person:${bearer.person}`;
  }
  if (by === undefined) throw new UserError('Say who proposes: set HOLDPOINT_TOKEN, or give --token-file or --by.', 2);
  const problem = nameProblem(by);
  if (problem !== null) throw new UserError(`--by: ${problem}`, 2);
  if (!commit.unauthenticated) throw new UserError(`The policy of ${printable(commit.tool)} asks for proof: set HOLDPOINT_TOKEN or give --token-file.`);
  return `person:${by}`;
}
