/** Uniform cheap verification. */
import type { Controller } from '../../contract/controller.ts';
import { verifyFast } from './actions.ts';

/** Leaks what an ordinary read cannot see: effects whose visibility is delayed. */
export const alwaysFast: Controller = { name: 'always-fast', decide: () => verifyFast };
