/** What a Temporal server tells of itself: its version, and whether anybody works on our queues. */
import type { Client } from '@temporalio/client';

/** The server's version, or null where it does not tell. */
export async function serverVersion(client: Client): Promise<string | null> {
  const version = await client.workflowService.getSystemInfo({}).then((info) => info.serverVersion, () => '');
  return version === '' ? null : version;
}

/** Temporal's numbers for what a queue holds (TaskQueueType of its API). */
const queueKinds = { workflows: 1, activities: 2 } as const;

/** Says which queue nobody has served lately: a batch would wait there until somebody comes. */
export async function warnWithoutWorkers(client: Client, queues: { readonly commit: string; readonly model: string }, say: (line: string) => void): Promise<void> {
  const served = { commit: await isServed(client, queues.commit, 'workflows'), model: await isServed(client, queues.model, 'activities') };
  for (const queue of ['commit', 'model'] as const)
    if (!served[queue]) say(`No worker serves the queue ${queues[queue]} yet: the batch waits for one (\`holdpoint worker --queues ${queue}\`).`);
}

/** Whether somebody has asked the queue for work lately. */
export async function isServed(client: Client, name: string, kind: keyof typeof queueKinds): Promise<boolean> {
  const request = { namespace: client.options.namespace, taskQueue: { name }, taskQueueType: queueKinds[kind] } as unknown as Parameters<Client['workflowService']['describeTaskQueue']>[0];
  return (await client.workflowService.describeTaskQueue(request)).pollers.length > 0;
}

/** What keeps a workflow's code from going on, in Temporal's words, or null: its tasks fail and are tried again for ever, without an event that anybody sees. */
export async function reportedProblem(client: Client, workflowId: string): Promise<string | null> {
  const { raw } = await client.workflow.getHandle(workflowId).describe();
  const data = raw.workflowExecutionInfo?.searchAttributes?.indexedFields?.['TemporalReportedProblems']?.data;
  return data === undefined || data === null ? null : Buffer.from(data).toString('utf8');
}
