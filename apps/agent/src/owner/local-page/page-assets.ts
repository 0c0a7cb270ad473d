/** What the page consists of, read once at the start: no request reaches the disk. */
import { readFile } from 'node:fs/promises'
import { TEXTS } from './texts.ts'

export interface Asset {
  type: string
  body: string
}

/** By path. `/` is stored without the token, which is inserted at every start. */
export type Assets = ReadonlyMap<string, Asset>

const TYPES = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
} as const

const PARTS = [
  ['page', 'css'],
  ['page', 'js'],
  ['activity', 'js'],
  ['amounts', 'js'],
  ['calls', 'js'],
  ['limits-form', 'js'],
  ['now', 'js'],
  ['words', 'js'],
] as const

export async function readAssets(token: string): Promise<Assets> {
  const folder = new URL('./page/', import.meta.url)
  const html = await readFile(new URL('page.html', folder), 'utf8')
  const assets = new Map<string, Asset>([
    ['/', { type: 'text/html; charset=utf-8', body: html.replace('{{token}}', token) }],
    ['/texts.json', { type: 'application/json', body: JSON.stringify(TEXTS) }],
  ])
  for (const [name, kind] of PARTS) {
    const body = await readFile(new URL(`${name}.${kind}`, folder), 'utf8')
    assets.set(`/${name}.${kind}`, { type: TYPES[kind], body })
  }
  return assets
}
