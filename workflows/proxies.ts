/** The activities as the workflows call them: every timeout and retry spelled out. */
import { ActivityCancellationType, proxyActivities, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/types.ts';

/** Short statements that need no task of their own. A worker that dies repeats them: they are idempotent. */
export const local = proxyLocalActivities<Pick<Activities, 'openEpisode' | 'reobserve' | 'finishEpisode' | 'openRollback' | 'closeRollback'>>({
  startToCloseTimeout: '60 s', // above the server's lock and statement timeouts
  localRetryThreshold: '30 s',
  retry: { initialInterval: '100 ms', backoffCoefficient: 2, maximumInterval: '5 s', maximumAttempts: 10 },
});

/** Asked while somebody waits at the episode's door: for as long as it takes, because the answer to an update is kept, and a failure would be kept as well. */
export const door = proxyLocalActivities<Pick<Activities, 'admit'>>({
  startToCloseTimeout: '20 s',
  localRetryThreshold: '30 s',
  retry: { initialInterval: '100 ms', backoffCoefficient: 2, maximumInterval: '5 s' },
});

/** What writes to worlds, on the workflows' own queue, so that the server hands it to the worker with the workflow task's answer. Cancellation waits for the database's word. */
export const effects = proxyActivities<Pick<Activities, 'commit' | 'commitRollback' | 'mutate' | 'remind' | 'recordRefusals' | 'planBatch'>>({
  startToCloseTimeout: '60 s',
  heartbeatTimeout: '15 s', // the worker beats by itself: the commit of one that died is tried again after this
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '100 ms', backoffCoefficient: 2, maximumInterval: '10 s', maximumAttempts: 10 },
});

const asking = {
  startToCloseTimeout: '20 min', // a cold load of a large model, then its reply, on a busy machine
  heartbeatTimeout: '15 s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED, // so that no request appears after the cancellation was settled
  retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '30 s', maximumAttempts: 6 },
} as const;

/** The question to the model, on the model workers' queue; a canned model needs no server and stays here, and so does what a person proposes (null). */
export function proposing(model: string | null): Pick<Activities, 'propose'> {
  const { taskQueue } = workflowInfo();
  return proxyActivities<Pick<Activities, 'propose'>>(model === null || model.startsWith('always-') ? asking : { ...asking, taskQueue: taskQueue.replace(/-commit$/, '-model') });
}
