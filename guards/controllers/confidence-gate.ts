/** Trusts a proposer that says it is sure. */
import type { Controller } from '../../contract/controller.ts';
import { execute, verifyStrong } from './actions.ts';
import { parameters } from './parameters.ts';

/** A proposer that says nothing is never trusted, so that with a canned one this is always-strong. */
export const confidenceGate: Controller = {
  name: 'confidence-gate',
  decide: ({ confidence }) => (confidence !== null && confidence >= parameters.confidenceFloor.value ? execute : verifyStrong),
};
