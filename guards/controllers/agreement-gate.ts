/** Trusts an action that repeated decodings agree on. */
import type { Controller } from '../../contract/controller.ts';
import { execute, verifyStrong } from './actions.ts';
import { parameters } from './parameters.ts';

/** Decodings that share a stale observation agree on it, too. Where decoding was not repeated this is always-strong. */
export const agreementGate: Controller = {
  name: 'agreement-gate',
  decide: ({ agreement }) => (agreement !== null && agreement >= parameters.agreementFloor.value ? execute : verifyStrong),
};
