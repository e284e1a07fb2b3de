/** Both workers of the episode's bench, in this process and with the same settings. */
import { createRequire } from 'node:module';
import { Worker } from '@temporalio/worker';
import { createPool } from '../../database/pool.ts';
import { roleUrl } from '../../database/role-url.ts';
import type { Lab } from '../endure/lab.ts';
import { bundle } from '../runtime/bundle.ts';
import { clientOn } from '../runtime/client.ts';
import { startWorkers } from '../runtime/worker.ts';
import { bareActivities, createBareTable } from './bare-workflow/activities.ts';
import { watchProposals, type Bench } from './episode-runs.ts';

/** Settings of both workers, printed with the result. */
export const workerSettings = { activitySlots: 16, workflowTaskSlots: 40, cachedWorkflows: 400, eagerStart: true, eagerActivities: true } as const;

/** Starts both workers, hands the bench out, and stops them. */
export async function withBench<T>(lab: Lab, use: (bench: Bench) => Promise<T>): Promise<T> {
  const { settings } = lab;
  const proposals = watchProposals();
  const interceptors = [proposals.interceptor];
  await createBareTable(lab.owner);
  await lab.owner.query('grant usage on schema bare to holdpoint_worker; grant all on bare.work to holdpoint_worker');
  const noModel = (): Promise<never> => Promise.reject(new Error('The bench has no model.'));
  const workers = await startWorkers({ settings, queues: ['commit'], proposer: noModel, interceptors, maxCachedWorkflows: workerSettings.cachedWorkflows, commitSlots: workerSettings.activitySlots });
  const pool = createPool({ url: roleUrl(settings.databaseUrl, 'holdpoint_worker'), max: workerSettings.activitySlots + 4, name: 'holdpoint-bare' });
  try {
    const bareQueue = 'bare';
    const bareWorker = await Worker.create({
      connection: workers.connection, namespace: settings.temporalNamespace, taskQueue: bareQueue, activities: bareActivities(pool), interceptors: { activity: interceptors },
      workflowBundle: await bundle(createRequire(import.meta.url).resolve('./bare-workflow/workflow.ts')), maxCachedWorkflows: workerSettings.cachedWorkflows,
      maxConcurrentActivityTaskExecutions: workerSettings.activitySlots, maxConcurrentWorkflowTaskExecutions: workerSettings.workflowTaskSlots,
    });
    const client = clientOn(workers.connection, settings);
    return await bareWorker.runUntil(() => use({ client, queuePrefix: settings.queuePrefix, bareQueue, proposals, refused: 0 }));
  } finally {
    await workers.stop();
    await pool.end();
  }
}
