/** What people see of an episode in Temporal's UI: search attributes, and the details of what waits for approval. */
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { Finished, Proposed } from '../activities/types.ts';
import { simulatedApprover } from '../contract/names.ts';
import { decisionCommand, showCommand } from '../contract/shell-word.ts';
import { visibleText } from '../contract/visible-text.ts';
import type { SearchAttributeName } from '../contract/search-attributes.ts';
import type { HoldState } from './decision-reducer.ts';
import type { EpisodeProgress } from './messages.ts';

type Act = Extract<Proposed, { kind: 'act' }>;

const keyword = (name: SearchAttributeName) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);
const approvalKey = keyword('holdpointApproval');
const outcomeKey = keyword('holdpointOutcome');
const deadlineKey = defineSearchAttributeKey('holdpointDeadline' satisfies SearchAttributeName, SearchAttributeType.DATETIME);
const leakedKey = defineSearchAttributeKey('holdpointLeaked' satisfies SearchAttributeName, SearchAttributeType.BOOL);

/** Marks an episode as waiting for a person. One upsert: each costs a fifteenth of an episode. */
export function showPending({ expiresAt }: Act): void {
  upsertSearchAttributes([{ key: approvalKey, value: 'pending' }, { key: deadlineKey, value: new Date(expiresAt) }]);
}

/** Shows what waits, what it rests on, and how to decide: details cost no history. */
export function showDetails(episodeId: string, proposed: Act, { request, approvals }: HoldState): void {
  const { needed = 1, unauthenticated = true } = proposed;
  const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('`', "'");
  const rows = [
    ['proposed by', cell(proposed.proposer)], ['may decide', cell(request?.assignedTo ?? (peopleOf(proposed).join(', ') || 'nobody'))], ['until', proposed.expiresAt], ['digest', `\`${proposed.digest}\``],
    ...(proposed.basis === undefined ? [] : [['rests on', `${cell(proposed.basis)}: if these rows change before the commit, it is refused`]]),
    ...(needed > 1 ? [['approvals', `${String(approvals.length)} of ${String(needed)}${approvals.map(({ by }) => `, ${cell(by)}`).join('')}`]] : []),
  ];
  const said = { opKey: proposed.opKey, digest: proposed.digest, verdict: 'approve', by: '<your name on the list>', comment: '' };
  const paste = unauthenticated && needed === 1 ? ['', 'Or as the update `decide`, which is recorded as unauthenticated:', '```', visibleText(JSON.stringify(said)).replaceAll('`', "'"), '```'] : [];
  setCurrentDetails([
    '### Waits for approval', '', `\`${proposed.summary.replaceAll('`', "'")}\``, '', '| | |', '|---|---|', ...rows.map(([name, value]) => `| ${name ?? ''} | ${value ?? ''} |`), '',
    'What has changed since then, the first command says; the others decide:', '```', showCommand(episodeId), decisionCommand('approve', episodeId, proposed.digest), decisionCommand('reject', episodeId, proposed.digest), '```', ...paste,
  ].join('\n'));
}

/** Who can be asked: the simulated approver is nobody. */
function peopleOf({ approvers }: Pick<Act, 'approvers'>): readonly string[] {
  return approvers.filter((name) => name !== simulatedApprover);
}

/** Shows the end. `word`: the outcome's class, or more exactly how it came about. */
export function showEnd(word: string, finished: Finished, decided: string): void {
  upsertSearchAttributes([
    { key: outcomeKey, value: word },
    { key: approvalKey, value: decided },
    ...(finished.leaked === null ? [] : [{ key: leakedKey, value: finished.leaked }]),
  ]);
}

/** The answer to the query `progress`; null before there is anything to tell of. */
export function progressOf(run: Pick<EpisodeProgress, 'phase' | 'step'> | null, { request, approvals, decided }: HoldState): EpisodeProgress {
  return {
    phase: run?.phase ?? 'opening',
    step: run?.step ?? 0,
    request: request && {
      opKey: request.opKey, digest: request.digest, approvers: peopleOf(request),
      needed: request.needed ?? 1, approvedBy: approvals.map((approval) => approval.by), assignedTo: request.assignedTo ?? null,
    },
    decided: decided && { verdict: decided.verdict, by: decided.by },
  };
}
