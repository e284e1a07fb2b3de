/** Trusts a read for as long as it says it is young. */
import type { Controller } from '../../contract/controller.ts';
import { execute, verifyStrong } from './actions.ts';
import { parameters } from './parameters.ts';

/** Rests on age alone, which the read states itself: it pays for old reads that are still true, and passes young ones that are not. */
export const ttlGate: Controller = {
  name: 'ttl-gate',
  decide: ({ telemetry }) => (telemetry.ageMs <= parameters.ttlMs.value ? execute : verifyStrong),
};
