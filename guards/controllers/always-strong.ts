/** Uniform strong verification: the safe policy over evidence, and the dearest. */
import type { Controller } from '../../contract/controller.ts';
import { verifyStrong } from './actions.ts';

/** The cost that every other policy over evidence is compared with. */
export const alwaysStrong: Controller = { name: 'always-strong', decide: () => verifyStrong };
