/** Worlds and spoilers of the further tools of the domain access. */
import type { ToolCase } from './tool-cases.ts';

/** By tool. */
export const accessCases: Readonly<Record<string, ToolCase>> = {};
