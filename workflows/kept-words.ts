/** What an episode and a rollback both have written down of their hold: that people were reminded, and which signals were refused. */
import { isCancellation, log } from '@temporalio/workflow';
import type { Hold } from './hold.ts';
import { effects } from './proxies.ts';

/** Reminds people of a request. Where that cannot be noted, the request waits all the same. */
export async function remind(opKey: string): Promise<void> {
  await effects.remind({ opKey }).catch((error: unknown) => {
    if (isCancellation(error)) throw error;
    log.warn('The reminder could not be noted.', { opKey });
  });
}

/** Writes refused signals down. One that arrives while the others are written down is written in a next round. */
export async function recordRefusals(hold: Pick<Hold, 'refusals'>): Promise<void> {
  for (let kept = 0; kept < hold.refusals().length; ) {
    const refusals = hold.refusals().slice(kept);
    await effects.recordRefusals({ refusals });
    kept += refusals.length;
  }
}
