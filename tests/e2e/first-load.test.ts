// Goal: the page is there soon: what is loaded before the first screen is small. Method: the built page; its
// entry, everything that it imports at once, and one language, each packed as a server would.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { buildPage } from './page-station.ts'

const ASSETS = join(import.meta.dirname, '../../apps/dashboard/dist/assets')
const MAX_BYTES = 250_000

before(() => buildPage())

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

function entries(): string[] {
  const html = readFileSync(join(ASSETS, '../index.html'), 'utf8')
  return [...html.matchAll(/assets\/([\w.-]+\.js)/g)].map((match) => match[1]!)
}

test('less than 250 KB of JavaScript, packed, come before the first screen', () => {
  const first = new Set<string>()
  for (const entry of entries()) withImports(entry, first)
  const language = readdirSync(ASSETS)
    .filter((name) => /^(en|es|pt)-[\w-]+\.js$/.test(name))
    .toSorted((a, b) => packedBytes(b) - packedBytes(a))[0]
  assert.ok(language !== undefined, 'languages are files of their own')
  first.add(language)
  const sizes = [...first].map((name) => ({ name, bytes: packedBytes(name) }))
  const sum = sizes.reduce((total, { bytes }) => total + bytes, 0)
  const report = sizes
    .toSorted((a, b) => b.bytes - a.bytes)
    .slice(0, 12)
    .map(({ name, bytes }) => `${(bytes / 1_000).toFixed(1).padStart(7)} KB ${name}`)
  console.log(`# ${(sum / 1_000).toFixed(1)} KB in ${sizes.length} files\n# ${report.join('\n# ')}`)
  assert.ok(sum < MAX_BYTES, `${sum} bytes`)
})

test('the palette, the screens of other areas and their plots come when they are asked for', () => {
  const first = new Set<string>()
  for (const entry of entries()) withImports(entry, first)
  for (const lazy of ['palette-', 'shortcuts-', 'config-screen-', 'keys-screen-']) {
    assert.ok(![...first].some((name) => name.startsWith(lazy)), lazy)
  }
})
