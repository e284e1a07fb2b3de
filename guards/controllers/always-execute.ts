/** The baseline without any check: every proposal is committed unguarded. */
import type { Controller } from '../../contract/controller.ts';
import { execute } from './actions.ts';

/** Its unsafe rate is that of the proposals themselves. */
export const alwaysExecute: Controller = { name: 'always-execute', decide: () => execute };
