/** What people see of an episode in Temporal's UI: search attributes, and the details of what waits for approval. */
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { Finished, Proposed } from '../activities/types.ts';
import { decisionCommand } from '../contract/shell-word.ts';
import type { SearchAttributeName } from '../contract/search-attributes.ts';

type Act = Extract<Proposed, { kind: 'act' }>;

const keyword = (name: SearchAttributeName) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);
const approvalKey = keyword('holdpointApproval');
const outcomeKey = keyword('holdpointOutcome');
const deadlineKey = defineSearchAttributeKey('holdpointDeadline' satisfies SearchAttributeName, SearchAttributeType.DATETIME);
const leakedKey = defineSearchAttributeKey('holdpointLeaked' satisfies SearchAttributeName, SearchAttributeType.BOOL);

/** Shows a request that waits for a person. One upsert: each costs a fifteenth of an episode. */
export function showRequest(episodeId: string, proposed: Act): void {
  upsertSearchAttributes([{ key: approvalKey, value: 'pending' }, { key: deadlineKey, value: new Date(proposed.expiresAt) }]);
  setCurrentDetails(
    [
      '### Waits for approval', '', `\`${proposed.summary.replaceAll('`', "'")}\``, '',
      '| | |', '|---|---|', `| proposed by | ${proposed.proposer} |`, `| may decide | ${proposed.approvers.join(', ')} |`, `| until | ${proposed.expiresAt} |`, `| digest | \`${proposed.digest}\` |`, '',
      '```', decisionCommand('approve', episodeId, proposed.digest), decisionCommand('reject', episodeId, proposed.digest), '```',
    ].join('\n'),
  );
}

/** Shows the end. `word`: the outcome's class, or more exactly how it came about. */
export function showEnd(word: string, finished: Finished, decided: string): void {
  upsertSearchAttributes([
    { key: outcomeKey, value: word },
    { key: approvalKey, value: decided },
    ...(finished.leaked === null ? [] : [{ key: leakedKey, value: finished.leaked }]),
  ]);
}
