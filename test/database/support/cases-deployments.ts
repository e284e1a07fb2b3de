/** Worlds and spoilers of the further tools of the domain deployments. */
import type { ToolCase } from './tool-cases.ts';

/** By tool. */
export const deploymentsCases: Readonly<Record<string, ToolCase>> = {};
