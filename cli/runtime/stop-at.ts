/** A hook for tests: HOLDPOINT_STOP_AT makes a worker stand still, for ever, just before or just after an activity, so that it can be killed exactly there. */
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { say } from '../output.ts';

/**
 * Reads `before:propose`, `after:commit@some-episode`, or several with commas between them. `after` is when the activity's work is done and the server has
 * not been told. Where the variable is unset there is no interceptor at all, so that it costs nothing.
 */
export function stopAtInterceptors(env: NodeJS.ProcessEnv = process.env): ActivityInterceptorsFactory[] {
  const points = new Set((env['HOLDPOINT_STOP_AT'] ?? '').split(',').filter((point) => point !== ''));
  if (points.size === 0) return [];
  return [({ info }) => ({
    inbound: {
      execute: async (input, next) => {
        const pause = async (when: 'before' | 'after'): Promise<void> => {
          const point = `${when}:${info.activityType}`;
          if (!points.has(point) && !points.has(`${point}@${episodeOf(input.args[0])}`)) return;
          say(`Stopped at ${point}@${episodeOf(input.args[0])}.`);
          await new Promise(() => undefined);
        };
        await pause('before');
        const result = await next(input);
        await pause('after');
        return result;
      },
    },
  })];
}

function episodeOf(request: unknown): string {
  return typeof request === 'object' && request !== null && 'episodeId' in request ? String(request.episodeId) : '';
}
