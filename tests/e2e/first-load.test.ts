// Goal: the page is there soon: what is loaded before the first screen is small. Method: the built page; its
// entry, everything that it imports at once, and one language, each packed as a server would.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { buildPage } from './page-station.ts'
import { firstLoad, firstScripts, namedScripts } from './page-weight.ts'

const MAX_BYTES = 250_000
/** A browser asks for six things at a time, and the style sheet, the picture and the data are some of them. */
const MAX_FILES = 4

before(() => buildPage())

test('less than 250 KB of JavaScript, packed, come before the first screen', () => {
  const sizes = firstLoad()
  const sum = sizes.reduce((total, { bytes }) => total + bytes, 0)
  const report = sizes
    .toSorted((a, b) => b.bytes - a.bytes)
    .slice(0, 12)
    .map(({ name, bytes }) => `${(bytes / 1_000).toFixed(1).padStart(7)} KB ${name}`)
  console.log(`# ${(sum / 1_000).toFixed(1)} KB in ${sizes.length} files\n# ${report.join('\n# ')}`)
  assert.ok(sum < MAX_BYTES, `${sum} bytes`)
})

test('they come at once, in few files that the page itself names', () => {
  const { size } = firstScripts()
  assert.ok(size <= MAX_FILES, `${size} files`)
  assert.deepEqual([...firstScripts()].toSorted(), namedScripts().toSorted())
})

test('the palette, the screens of other areas and their plots come when they are asked for', () => {
  const first = firstScripts()
  for (const lazy of ['palette-', 'shortcuts-', 'config-screen-', 'keys-screen-']) {
    assert.ok(![...first].some((name) => name.startsWith(lazy)), lazy)
  }
})
