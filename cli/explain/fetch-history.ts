/** An episode's history from Temporal, where it answers: an explanation does not fail because it does not. */
import { printable, UserError } from '../output.ts';
import { described, type ReadHistory } from '../replay/read-history.ts';
import { connect } from '../runtime/client.ts';
import type { Settings } from '../runtime/settings.ts';

/** The history, or why there is none, as the end of a sentence. */
export type Fetched = { readonly read: ReadHistory; readonly why: null } | { readonly read: null; readonly why: string };

/** Reads only. @throws UserError where what came is no whole history */
export async function historyOf(settings: Settings, workflowId: string): Promise<Fetched> {
  const connected = await connect(settings).catch((error: unknown) => {
    if (error instanceof UserError) return null;
    throw error;
  });
  if (connected === null) return { read: null, why: `no Temporal server answers at ${settings.temporalAddress}` };
  try {
    const history = await connected.client.workflow.getHandle(workflowId).fetchHistory().catch(() => null);
    return history === null ? { read: null, why: `Temporal has no history of ${printable(workflowId)}` } : { read: described(workflowId, history), why: null };
  } finally {
    await connected.close();
  }
}
