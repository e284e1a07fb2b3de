#!/usr/bin/env node
// Runs the TypeScript sources as they are: there is no build step to forget.
import { register } from 'tsx/esm/api';

register();
const { main } = await import('../cli/main.ts');
await main(process.argv);
// Everything was closed or could not be opened; Temporal's native runtime, once loaded, would keep a failed process alive.
if (process.exitCode) process.exit();
