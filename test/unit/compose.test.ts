/** The compose file against the compose schema, against the names that the code reads, and against our own rules for it. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { searchAttributes } from '../../contract/search-attributes.ts';
import { environmentNames, root } from '../support/sources.ts';

const path = fileURLToPath(new URL('docker-compose.yml', root));
const text = readFileSync(path, 'utf8');

/** The parts that the rules below look at; everything else is the schema's business. */
const Service = z.object({
  image: z.string(),
  build: z.unknown().optional(),
  environment: z.record(z.string(), z.string()).default({}),
  ports: z.array(z.string()).default([]),
  healthcheck: z.object({ test: z.array(z.string()).min(2) }).optional(),
  restart: z.string().optional(),
  command: z.array(z.string()).default([]),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
});
const { services } = z.object({ services: z.record(z.string(), Service) }).parse(parse(text));
const entries = Object.entries(services);
const own = entries.filter(([, service]) => service.build !== undefined);
/** They stay up and serve others. */
const servers = entries.filter(([, service]) => service.ports.length > 0);

/** Secrets of the file itself: the code knows passwords only as parts of DATABASE_URL. */
const secrets = ['POSTGRES_PASSWORD', 'TEMPORAL_DB_PASSWORD', 'HOLDPOINT_DB_PASSWORD'];

/** What is used of dclint, whose own types name files without their extensions. */
type Dclint = { readonly DCLinter: new (config: object) => { lintFiles(paths: string[], isRecursive: boolean): { messages: { type: string; message: string }[] }[] } };

describe('the compose file', () => {
  test('follows the compose specification, whose JSON schema dclint brings', async () => {
    const { DCLinter } = (await import('dclint')) as unknown as Dclint;
    const linter = new DCLinter({ rules: { 'no-build-and-image': 0 }, quiet: false, debug: false, exclude: [] });
    const problems = linter.lintFiles([path], false).flatMap((file) => file.messages);
    expect(problems.filter((problem) => problem.type === 'error').map((problem) => problem.message)).toEqual([]);
  });

  test('names no variable for our own services that the code does not read', () => {
    expect(own.map(([name]) => name)).toEqual(['migrate', 'worker']);
    for (const [, service] of own) for (const name of Object.keys(service.environment)) expect(environmentNames()).toContain(name);
  });

  test('takes nothing from the environment but what the code reads, and passwords', () => {
    const taken = [...text.matchAll(/(?<!\$)\$\{(\w+)/g)].map((match) => match[1] ?? '');
    expect(taken.length).toBeGreaterThan(0);
    for (const name of taken) expect([...environmentNames(), ...secrets]).toContain(name);
  });

  test('has no password of its own: each must be given', () => {
    for (const name of secrets) for (const match of text.matchAll(new RegExp(`(?<!\\$)\\$\\{${name}([^}]*)\\}`, 'g'))) expect(match[1]).toMatch(/^:\?./);
    for (const [, service] of entries)
      for (const [name, value] of Object.entries(service.environment)) if (/PASSWORD|PWD|SECRET|TOKEN/.test(name)) expect(value).toMatch(/^\$\{\w+:\?/);
    expect([...text.matchAll(/postgres:\/\/\w+:([^@\s]*)@/g)].every((match) => match[1]?.startsWith('${HOLDPOINT_DB_PASSWORD:?') === true)).toBe(true);
  });

  test('pins every image to one version, also those that are built on', () => {
    const base = /^FROM (\S+)$/m.exec(readFileSync(new URL('Dockerfile', root), 'utf8'))?.[1] ?? '';
    for (const image of [base, ...entries.map(([, service]) => service.image)]) expect(image).toMatch(/^[\w./-]+:v?\d+\.\d+[\w.-]*$/);
  });

  test('binds every port to the loopback', () => {
    for (const [, service] of entries) for (const port of service.ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  });

  test('has a health check on every server, and nothing waits for a server that is not healthy or a step that is not done', () => {
    expect(servers.map(([name]) => name)).toEqual(['postgres', 'temporal', 'temporal-ui', 'ollama']);
    for (const [, service] of servers) expect(service).toMatchObject({ healthcheck: { test: expect.any(Array) as unknown }, restart: 'unless-stopped' });
    for (const [, service] of entries)
      for (const [name, { condition }] of Object.entries(service.depends_on)) expect(condition).toBe(services[name]?.healthcheck === undefined ? 'service_completed_successfully' : 'service_healthy');
  });

  test('registers exactly the search attributes that the workflows set', () => {
    const said = services['search-attributes']?.command ?? [];
    expect(said).toEqual(Object.entries(searchAttributes).flatMap(([name, type]) => [`--name=${name}`, `--type=${type}`]));
  });
});
