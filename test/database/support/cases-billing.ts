/** Worlds and spoilers of the further tools of the domain billing. */
import type { ToolCase } from './tool-cases.ts';

/** By tool. */
export const billingCases: Readonly<Record<string, ToolCase>> = {};
