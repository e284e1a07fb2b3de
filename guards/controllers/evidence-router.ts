/** The transparent router: a table from observable signals to the cheapest adequate check. */
import type { Controller, ControllerAction } from '../../contract/controller.ts';
import { execute, verifyFast, verifyStrong } from './actions.ts';
import { signatureOf, type StatusFamily } from './signature.ts';

/**
 * Fast where an ordinary read shows what went wrong; strong where the previous effect may be there and not visible, or not known (guard-precision prints
 * the totals, 1.83 canonical and 2.17 degraded; the split by family is derived in the reference). `ok` is for fresh reads: an old one says what `stale` says.
 */
const byFamily: Readonly<Record<StatusFamily, ControllerAction>> = {
  ok: execute,
  stale: verifyFast,
  partial: verifyFast,
  contended: verifyFast,
  dispatched: verifyStrong,
  timeout: verifyStrong,
  unknown: verifyStrong,
};

/** Cannot tell a fault that shows itself fresh and `ok` from a clean read, as no policy over telemetry can. */
export const evidenceRouter: Controller = {
  name: 'evidence-router',
  decide: ({ telemetry }) => {
    const { ageBucket, status } = signatureOf(telemetry);
    return status === 'ok' && ageBucket === 'old' ? verifyFast : byFamily[status];
  },
};
