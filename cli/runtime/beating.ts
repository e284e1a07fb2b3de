/** Tells Temporal that an activity's worker lives, so that the work of a dead one is handed on after seconds and not after the activity's whole time. */
import type { ActivityInterceptorsFactory } from '@temporalio/worker';

/** Beats three times within the activity's heartbeat timeout; activities without one, such as local ones, are left alone. A short activity never beats. */
export const beating: ActivityInterceptorsFactory = (context) => {
  const { heartbeatTimeoutMs } = context.info;
  if (heartbeatTimeoutMs === undefined || heartbeatTimeoutMs === 0) return {};
  return {
    inbound: {
      execute: async (input, next) => {
        const timer = setInterval(() => { context.heartbeat(); }, heartbeatTimeoutMs / 3);
        try {
          return await next(input);
        } finally {
          clearInterval(timer);
        }
      },
    },
  };
};
