/** The documents against the project: every command, script, link, variable and JSON argument that they name is there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { main } from '../../cli/main.ts';
import { Decision } from '../../contract/approval.ts';
import { BatchInput } from '../../contract/batch-input.ts';
import { parseCaseId } from '../../contract/case.ts';
import { EpisodeInput } from '../../contract/episode-input.ts';
import { templates } from '../../scenarios/index.ts';
import { environmentNames, root } from '../support/sources.ts';

const generated = readdirSync(new URL('docs/', root)).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`);
const documents = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', ...generated].map((path) => ({ path, text: readFileSync(new URL(path, root), 'utf8') }));
const scripts = (JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { scripts: Record<string, string> }).scripts;

const found = (text: string, pattern: RegExp): string[] => [...new Set([...text.matchAll(pattern)].map((match) => match[1] ?? ''))];
/** Only what is set as code is meant literally. */
const codeOf = (text: string): string => [...text.matchAll(/```\w*\n([\s\S]*?)```|`([^`\n]+)`/g)].map((match) => match[1] ?? match[2] ?? '').join('\n');

/** What `holdpoint … --help` prints. In this process, because a dozen of Node's would take half a minute. */
async function helpOf(...args: string[]): Promise<string> {
  const said: string[] = [];
  const { exitCode } = process;
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  try {
    await main(['node', 'holdpoint', ...args, '--help']);
  } finally {
    spy.mockRestore();
    process.exitCode = exitCode;
  }
  return said.join('');
}
const commands = new Set(found(await helpOf(), /^ {2}([a-z][a-z-]*) /gm));

/** The names of headings as links know them. */
const anchorsOf = (text: string): string[] => found(text, /^#+ (.+)$/gm).map((heading) => heading.toLowerCase().replace(/[^\w\- ]/g, '').replaceAll(' ', '-'));

describe.each(documents)('$path', ({ text }) => {
  test('names only commands that holdpoint has, with options that they have', async () => {
    for (const line of codeOf(text).split('\n')) {
      const [, command, rest = ''] = /\bholdpoint ([a-z][a-z-]*)\b(.*)/.exec(line.replace(/#.*$/, '')) ?? [];
      if (command === undefined) continue;
      expect(commands, `\`holdpoint ${command}\``).toContain(command);
      const options = found(rest, /(?<=\s)(--[a-z][a-z-]*)/g);
      if (options.length > 0) expect(found(await helpOf(command), /(--[a-z][a-z-]*)/g), `\`${line}\``).toEqual(expect.arrayContaining(options));
    }
  });

  test('names only npm scripts that package.json has', () => {
    for (const name of [...found(codeOf(text), /\bnpm run ([\w:-]+)/g), ...found(codeOf(text), /\bnpm (start|test)\b/g)]) expect(Object.keys(scripts)).toContain(name);
  });

  test('has no link that leads nowhere', () => {
    for (const target of found(text, /\]\(([^)\s]+)\)/g).filter((link) => !/^https?:/.test(link))) {
      const [path = '', anchor] = target.split('#');
      expect(path === '' || existsSync(new URL(path, root)), target).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(path === '' ? text : readFileSync(new URL(path, root), 'utf8')), target).toContain(anchor);
    }
  });

  test('names no file of the project that is not there', () => {
    for (const path of found(codeOf(text), /(?<![\w./<-])((?:contract|scenarios|guards|database|activities|workflows|checker|analysis|stack|cli|test|docs)\/[\w./-]*\w)(?![\w<*])/g)) expect(existsSync(new URL(path, root)), path).toBe(true);
  });

  test('names no environment variable that nothing reads', () => {
    const compose = found(readFileSync(new URL('docker-compose.yml', root), 'utf8'), /\$\{(\w+)/g);
    const named = found(codeOf(text), /\b((?:HOLDPOINT|TEMPORAL|OLLAMA|POSTGRES|XDG|UPDATE|DATABASE)_[A-Z_]+)\b/g);
    for (const name of named) expect([...environmentNames(), ...compose], name).toContain(name);
  });

  test('has no path of one machine and no address of a package registry', () => {
    expect(text).not.toMatch(/(?<![\w.:@/-])\/(?:home|root|work|tmp|Users|mnt|opt|srv|usr|var)\//);
    expect(text).not.toMatch(/\b(?:registry\.\w|[\w.]*npmjs\.|[\w.]*pypi\.|[\w.]*pythonhosted\.|proxy\.golang)/i);
  });

  test('shows only JSON arguments that are accepted, about cases that exist', () => {
    const accepted = [EpisodeInput, BatchInput, Decision];
    for (const [, block = ''] of text.matchAll(/```json\n([\s\S]*?)```/g)) {
      expect(accepted.filter((schema) => schema.safeParse(JSON.parse(block)).success), block).not.toEqual([]);
      const named = JSON.parse(block) as { caseId?: string; templates?: string[] };
      const asked = [...(named.templates ?? []), ...(named.caseId === undefined ? [] : [parseCaseId(named.caseId).template])];
      for (const name of asked) expect(templates.map((template) => template.name)).toContain(name);
    }
  });
});

test('the README explains every variable that the code reads and a user may set', () => {
  const readme = documents[0]?.text ?? '';
  const internal = ['HOLDPOINT_STOP_AT', 'TEMPORAL_DEBUGGER_PLUGIN_URL']; // a hook for tests that kill a worker; what Temporal's debugger sets itself
  const own = environmentNames({ tests: false }).filter((name) => /^(HOLDPOINT|TEMPORAL|DATABASE|OLLAMA)_/.test(name) && !internal.includes(name));
  for (const name of own) expect(readme).toContain(`\`${name}\``);
});

test('the README lists every command', () => {
  for (const command of commands) if (command !== 'help') expect(documents[0]?.text).toMatch(new RegExp(`\\bholdpoint ${command}\\b`));
});
