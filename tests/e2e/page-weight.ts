/** What of the built page is loaded before its first screen. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

const ASSETS = join(import.meta.dirname, '../../apps/dashboard/dist/assets')

/** A file and all that it names in an import that is no call. */
function withImports(name: string, seen: Set<string>): Set<string> {
  if (seen.has(name)) return seen
  seen.add(name)
  const code = readFileSync(join(ASSETS, name), 'utf8')
  for (const [, imported] of code.matchAll(/(?:\bfrom|\bimport)\s*["']\.\/([\w.-]+\.js)["']/g)) {
    withImports(imported!, seen)
  }
  return seen
}

const packedBytes = (name: string): number => gzipSync(readFileSync(join(ASSETS, name))).length

/** Of the page's own text, which a browser asks for before any of them has come. */
export function namedScripts(): string[] {
  const html = readFileSync(join(ASSETS, '../index.html'), 'utf8')
  return [...new Set([...html.matchAll(/assets\/([\w.-]+\.js)/g)].map((match) => match[1]!))]
}

/** The names of scripts that the page begins with, whatever the language. */
export function firstScripts(): Set<string> {
  const first = new Set<string>()
  for (const entry of namedScripts()) withImports(entry, first)
  return first
}

/** With the largest of the languages, packed as a server would. */
export function firstLoad(): { name: string; bytes: number }[] {
  const language = readdirSync(ASSETS)
    .filter((name) => /^(en|es|pt)-[\w-]+\.js$/.test(name))
    .toSorted((a, b) => packedBytes(b) - packedBytes(a))[0]
  if (language === undefined) throw new Error('Languages are no longer files of their own.')
  return [...firstScripts(), language].map((name) => ({ name, bytes: packedBytes(name) }))
}
