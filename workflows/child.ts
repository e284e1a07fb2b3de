/** One child episode of a batch: whatever becomes of it, its slot is freed and its end is counted. */
import { defineSearchAttributeKey, SearchAttributeType, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ChildWorkflowCancellationType, executeChild, isCancellation, ParentClosePolicy } from '@temporalio/workflow';
import type { BatchPage, PlannedEpisode } from '../activities/types.ts';
import { guardLabel } from '../contract/names.ts';
import type { SearchAttributeName } from '../contract/search-attributes.ts';
import { episode } from './episode.ts';

/** How a child ended, in the batch's words. */
export type ChildEnd = { readonly kind: 'ended'; readonly class: string } | { readonly kind: 'failed' } | { readonly kind: 'skipped' };

const key = (name: SearchAttributeName) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);
const [batchKey, templateKey, guardKey, conditionKey] = [key('holdpointBatch'), key('holdpointTemplate'), key('holdpointGuard'), key('holdpointCondition')];

/**
 * Runs a child to its end. An id whose last run failed may run again (its op keys are the same, so nothing happens twice); one that ended well is skipped.
 * A batch that is ended by force asks its children to cancel, so that they close their op keys themselves: abandoned they would wait for approvals that
 * nobody gives, terminated they would leave open keys behind.
 */
export async function startChildEpisode(planned: PlannedEpisode, input: BatchPage['input']): Promise<ChildEnd> {
  const { caseId, model, seed, guard } = planned;
  const { batchId, approval, windowMs, replans, faults, score, returns } = input;
  const [template = '', , condition = ''] = caseId.split('/');
  try {
    const outcome = await executeChild(episode, {
      workflowId: planned.episodeId,
      args: [{ batchId, caseId, model, seed, guard, approval, windowMs, replans, faults, score, returns }],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
      typedSearchAttributes: [
        { key: batchKey, value: batchId }, { key: templateKey, value: template }, { key: guardKey, value: guardLabel(guard) }, { key: conditionKey, value: condition },
      ],
      staticSummary: `${caseId} by ${model}, guard ${guardLabel(guard)}`,
    });
    return { kind: 'ended', class: outcome.class };
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return { kind: 'skipped' };
    return isCancellation(error) ? { kind: 'ended', class: 'cancelled' } : { kind: 'failed' };
  }
}
