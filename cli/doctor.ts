/** `holdpoint doctor`: what of the stack is here, what can be had, and how to mend the rest. Starts and downloads nothing. */
import { diagnose, type Diagnosis } from '../stack/doctor.ts';
import { defaultStateDir } from '../stack/stack.ts';
import { printResult, type CommandModule } from './output.ts';

/** Exit code 0 if everything needed is here or can be had, else 1. */
export const registerDoctor: CommandModule = (program) => {
  program
    .command('doctor')
    .description('Look for Temporal, Postgres, Ollama, its models and the tools; start and download nothing.')
    .option('--json', 'print one JSON document')
    .action(async (options: { json?: boolean }) => {
      const diagnosis = await diagnose(defaultStateDir());
      printResult(options, diagnosis, () => describe(diagnosis));
      if (!diagnosis.ok) process.exitCode = 1;
    });
};

/** The diagnosis for people: a line a thing, then one sentence for each that is to be mended. */
export function describe(diagnosis: Diagnosis): string {
  const parts = diagnosis.parts.map(({ part, state, version, from, at }) => row(part, state, [version, from && `from ${from}`, at && `at ${at}`]));
  const models = diagnosis.models.map(({ name, state, why }) => row(name, state, [why]));
  const tools = diagnosis.tools.map(({ name, version, neededFor }) => row(name, version === undefined ? 'missing' : 'here', [version, `for ${neededFor}`]));
  const mends = diagnosis.parts.flatMap(({ part, mend }) => (mend === undefined ? [] : [`To get ${part}: ${mend}.`]));
  const toolMends = diagnosis.tools.flatMap(({ neededFor, mend }) => (mend === undefined ? [] : [`For ${neededFor}: ${mend}.`]));
  const verdict = diagnosis.ok ? 'Everything needed is here or will be got by `holdpoint start`.' : 'Something is missing that cannot be got by itself.';
  return [...parts, '', ...models, '', ...tools, '', ...mends, ...toolMends, verdict].join('\n');
}

function row(name: string, state: string, rest: readonly (string | undefined)[]): string {
  return `${name.padEnd(14)} ${state.padEnd(12)} ${rest.filter((text) => text !== undefined && text !== '').join(', ')}`.trimEnd();
}
