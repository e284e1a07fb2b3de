// What Temporal's debugger for VS Code starts: today's workflows on the history that the extension hands out. See docs/debugging.md.
import { fileURLToPath } from 'node:url';
import { startDebugReplayer } from '@temporalio/worker';

if (!process.env['TEMPORAL_DEBUGGER_PLUGIN_URL']) {
  process.stderr.write("This file is for Temporal's debugger in VS Code, which names its address in TEMPORAL_DEBUGGER_PLUGIN_URL: see docs/debugging.md.\n");
  process.exit(2);
}
// Plain JavaScript, so that no loader has to know TypeScript: the workflows are compiled as they are bundled.
startDebugReplayer({ workflowsPath: fileURLToPath(new URL('../workflows/index.ts', import.meta.url)) });
