/** What the flags of a deciding command take, looked at before anything is sent. */
import { commentProblem } from '../../inbox/form.ts';
import type { Speech } from '../../inbox/decide.ts';
import { UserError } from '../output.ts';

/** Reads `--comment`. @throws UserError (exit 2) with the limit, where the text is too long, or says nothing and is all that is said */
export function commentFor(kind: Speech['kind']): (text: string) => string {
  return (text) => {
    const problem = commentProblem(kind, text);
    if (problem !== null) throw new UserError(`--comment: ${problem}`, 2);
    return text;
  };
}

/** Reads a digest. `source`: where people find it. @throws UserError (exit 2) where it is none */
export function digestFrom(flag: string, source: string): (text: string) => string {
  return (text) => {
    if (!/^[0-9a-f]{64}$/.test(text)) throw new UserError(`${flag} takes the 64 hexadecimal digits that ${source}.`, 2);
    return text;
  };
}
