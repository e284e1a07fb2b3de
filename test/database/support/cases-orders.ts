/** Worlds and spoilers of the further tools of the domain orders. */
import type { ToolCase } from './tool-cases.ts';

/** By tool. */
export const ordersCases: Readonly<Record<string, ToolCase>> = {};
