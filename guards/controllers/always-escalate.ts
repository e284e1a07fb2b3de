/** The baseline that never acts by itself. */
import type { Controller } from '../../contract/controller.ts';

/** Automates nothing: a person's time is no verification cost, so its cost of 0 is no bargain. */
export const alwaysEscalate: Controller = { name: 'always-escalate', decide: () => ({ kind: 'escalate' }) };
