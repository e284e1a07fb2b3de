/** The page's files, read once: a fixed list, so that no address can lead to another file. */
import { readFile } from 'node:fs/promises';
import type { Answer } from './answers.ts';

const types = { html: 'text/html; charset=utf-8', css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8', svg: 'image/svg+xml' } as const;

const names = ['index.html', 'style.css', 'icon.svg', 'app.js', 'api.js', 'dom.js', 'time.js', 'list.js', 'detail.js', 'sections.js', 'dialogs.js', 'comment.js', 'timeline.js', 'keys.js', 'signin.js'];

/** Answers by path. */
export async function pageFiles(): Promise<ReadonlyMap<string, Answer>> {
  const files = await Promise.all(names.map(async (name): Promise<[string, Answer]> => {
    const body = await readFile(new URL(`../page/${name}`, import.meta.url));
    return [name === 'index.html' ? '/' : `/${name}`, { status: 200, type: types[name.split('.').at(-1) as keyof typeof types], body }];
  }));
  return new Map(files);
}
