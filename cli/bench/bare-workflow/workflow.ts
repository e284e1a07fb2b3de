/** The yardstick: a workflow of exactly three activities and one update, as anybody would write it, without a hold point's guarantees. */
import { ApplicationFailure, condition, defineUpdate, proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow';
import type { BareActivities } from './activities.ts';

const { observe, propose, commit } = proxyActivities<BareActivities>({ startToCloseTimeout: '60 s' });

/** Approves. Refused, like an episode's decision, before anything waits for it. */
export const decideUpdate = defineUpdate<string, [string]>('decide');

/** Observes, proposes, waits for the update, commits. */
export async function bare(): Promise<string> {
  const { workflowId } = workflowInfo();
  let held = false;
  let verdict: string | undefined;
  setHandler(decideUpdate, (given) => (verdict = given), {
    validator: (given: string) => {
      if (!held || verdict !== undefined || given === '') throw ApplicationFailure.nonRetryable('Nothing waits for a decision now.', 'unknown_or_closed_request');
    },
  });
  await observe(workflowId);
  await propose(workflowId);
  held = true;
  await condition(() => verdict !== undefined);
  await commit(workflowId);
  return verdict ?? '';
}
