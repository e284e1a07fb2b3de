/** Talks to a Temporal server: does it answer, is the namespace there, are the search attributes usable. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { StackError } from './types.ts';

type Attributes = Readonly<Record<string, string>>;

/** Temporal's numbers of the types (temporal.api.enums.v1.IndexedValueType). */
const typeNumbers: Readonly<Record<string, number>> = { Text: 1, Keyword: 2, Int: 3, Double: 4, Bool: 5, Datetime: 6, KeywordList: 7 };

/** A value of each type for the probe. */
const sampleValues: Readonly<Record<string, string | number | boolean | Date | string[]>> = {
  Text: 'probe', Keyword: 'probe', Int: 0, Double: 0, Bool: false, Datetime: new Date(0), KeywordList: ['probe'],
};

/** The server's version. @throws where it does not answer within the time. */
export async function askVersion(address: string, timeoutMs: number): Promise<string> {
  const connection = await Connection.connect({ address, connectTimeout: timeoutMs });
  try {
    const info = await connection.withDeadline(Date.now() + timeoutMs, () => connection.workflowService.getSystemInfo({}));
    return info.serverVersion;
  } finally {
    await connection.close();
  }
}

/**
 * Registers the attributes that the server lacks, then waits until it accepts a workflow that carries them all: a server
 * answers before its attributes are usable. The probe workflow is never run, and is deleted.
 * @throws StackError where the namespace is missing, an attribute has another type, or the time is up.
 */
export async function readyNamespace(server: { address: string; namespace: string }, attributes: Attributes, timeoutMs: number): Promise<void> {
  const { address, namespace } = server;
  const connection = await Connection.connect({ address, connectTimeout: timeoutMs });
  try {
    await connection.withDeadline(Date.now() + timeoutMs, async () => {
      await checkNamespace(connection, server);
      await addMissing(connection, namespace, attributes);
      await probe(connection, namespace, { attributes, untilMs: Date.now() + timeoutMs });
    });
  } finally {
    await connection.close();
  }
}

async function checkNamespace(connection: Connection, { address, namespace }: { address: string; namespace: string }): Promise<void> {
  try {
    await connection.workflowService.describeNamespace({ namespace });
  } catch (error) {
    if (codeOf(error) !== 5) throw error;
    throw new StackError(`The Temporal server at ${address} has no namespace "${namespace}": create it, or set TEMPORAL_NAMESPACE to one it has.`);
  }
}

async function addMissing(connection: Connection, namespace: string, attributes: Attributes): Promise<void> {
  const found = (await connection.operatorService.listSearchAttributes({ namespace })).customAttributes;
  const missing: Record<string, number> = {};
  for (const [name, type] of Object.entries(attributes)) {
    const wanted = typeNumbers[type] ?? 0;
    const have: number | undefined = found[name];
    if (have === undefined) missing[name] = wanted;
    else if (have !== wanted) throw new StackError(`The search attribute ${name} in namespace "${namespace}" is not of type ${type}: rename or remove it there, or use another namespace by TEMPORAL_NAMESPACE.`);
  }
  if (Object.keys(missing).length === 0) return;
  try {
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: missing });
  } catch (error) {
    if (codeOf(error) !== 6) throw error;
  }
}

async function probe(connection: Connection, namespace: string, { attributes, untilMs }: { attributes: Attributes; untilMs: number }): Promise<void> {
  const client = new Client({ connection, namespace });
  const values = Object.fromEntries(Object.entries(attributes).map(([name, type]) => [name, [sampleValues[type]].flat()]));
  const id = `holdpoint-probe-${randomUUID()}`;
  for (;;) {
    try {
      const start = { workflowId: id, taskQueue: id, searchAttributes: values as Record<string, string[]>, workflowExecutionTimeout: '1 minute' } as const;
      const handle = await client.workflow.start('holdpointProbe', start);
      await handle.terminate('the search attributes are usable');
      await connection.workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId: id } });
      return;
    } catch (error) {
      if (Date.now() > untilMs) throw new StackError(`The Temporal server did not accept the search attributes in time: ${error instanceof Error ? error.message : String(error)}`);
      await sleep(50);
    }
  }
}

/** The gRPC status: 5 not found, 6 already there. */
function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
