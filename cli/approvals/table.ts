/** Waiting requests as a document and as a table. Everything in them may be a model's text, so nothing of it reaches the terminal's controls. */
import type { Proposal } from '../../contract/proposal.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { domainOf } from '../../database/tool-facts.ts';
import type { WaitingRow } from '../../database/waiting.ts';
import { printable } from '../output.ts';
import { columns } from '../runtime/columns.ts';
import { inWords } from '../start/progress.ts';

/** Longest episode id that a line of the table shows whole, in UTF-16 code units. */
const mostShown = 80;

/** It was checked when it was frozen, and its digest covers it: a schema for each of a thousand rows takes as long as the query. */
const frozen = (proposal: string): Pick<Proposal, 'tool' | 'arguments'> => JSON.parse(proposal) as Proposal;

/** A request as `--json` shows it: the exact proposal that the digest covers. `tool`: `rollback` for one, whose request and domain are those of the commit's tool. */
export function shownRequest(row: WaitingRow): Record<string, unknown> {
  const { proposal, ...shown } = row;
  const { tool, arguments: args } = frozen(proposal);
  return { ...shown, tool, domain: domainOf(row.tool), arguments: args };
}

/** A line a request, the episode last, as it must be typed. `nowMs`: by this machine's clock, for what is shown only. */
export function table(rows: readonly WaitingRow[], nowMs: number): string {
  return columns(['due in', 'tool', 'arguments', 'proposed by', 'may decide', 'episode'], rows.map((row) => {
    const { tool, arguments: args } = frozen(row.proposal);
    return [inWords(Date.parse(row.expiresAt) - nowMs), tool, JSON.stringify(args), row.proposer, decidersOf(row), episodeOf(row.episodeId)];
  }));
}

/** As it must be typed; one that is too long for a line is cut, and says where it is whole, so that nobody types the cut one. */
function episodeOf(id: string): string {
  const word = shellWord(id);
  const [shown, problem] = [printable(word ?? id, mostShown), word === null ? 'cannot be typed' : ''];
  return shown.length > mostShown ? `${shown} (cut: --json shows all ${String(id.length)} characters${problem === '' ? '' : `; ${problem}`})` : problem === '' ? shown : `${shown} (${problem})`;
}

function decidersOf({ approvers, assignedTo, needed, approvedBy }: WaitingRow): string {
  const missing = needed > 1 ? `${String(approvedBy.length)} of ${String(needed)}: ` : '';
  return missing + (assignedTo ?? (approvers.join(', ') || 'nobody'));
}
