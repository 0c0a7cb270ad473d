// Goal: `minga archive diff` compares captures with and without a station, and changes nothing. Method: the real
// command line on a folder filled by `minga archive import`.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { startProcess, endAllProcesses } from '@minga/testkit'
import { BANNER_PAGE, bannerStation } from '../../apps/coordinator/test/archive/banner-fixture.ts'
import { recordExchange } from '../../packages/archive/src/exchange-members.ts'
import { countingIds, sampleExchange } from '../../packages/archive/test/sample-exchange.ts'
import { MINGA, mingaOutput, runMinga } from './run-minga.ts'

const folder = mkdtempSync(join(tmpdir(), 'minga-diff-'))
const data = join(folder, 'data')
const URL_A = 'http://example.org/'

before(async () => {
  const newId = countingIds()
  const members = ['The old price', 'The new price'].flatMap((text, day) => {
    const capturedAt = Date.UTC(2026, 0, 1 + day)
    const body = Buffer.from(`<html><body><p>${text}</p></body></html>`)
    return recordExchange(sampleExchange({ url: URL_A, capturedAt, body }), newId).members
  })
  const file = join(folder, 'old.warc.gz')
  writeFileSync(file, Buffer.concat(members))
  await mingaOutput('archive', 'import', file, '--data', data)
})
after(async () => {
  await endAllProcesses()
  rmSync(folder, { recursive: true, force: true })
})

test('the figures are one JSON object, and the folder stays as it was', async () => {
  const database = join(data, 'minga.db')
  const { mtimeMs } = statSync(database)
  const printed = await mingaOutput(
    'archive',
    'diff',
    URL_A,
    '20260101',
    '20260102',
    '--json',
    '--data',
    data,
  )
  const diff = JSON.parse(printed) as Record<string, unknown>
  assert.equal(diff['changed'], true)
  for (const figure of ['visual', 'structural', 'content']) {
    assert.ok(Number(diff[figure]) >= 0 && Number(diff[figure]) <= 1, figure)
  }
  assert.ok(Array.isArray(diff['blocks']))
  assert.equal(statSync(database).mtimeMs, mtimeMs)
})

test('without times the last two captures are shown as text', async () => {
  const text = await mingaOutput('archive', 'diff', URL_A, '--data', data)
  assert.match(text, /^--- .*2026-01-01 00:00:00 UTC\n\+\+\+ .*2026-01-02/)
  assert.match(text, /^- .*old/m)
  assert.match(text, /^\+ .*new/m)
})

test('pages are written to files', async () => {
  const [html, both] = [join(folder, 'a.html'), join(folder, 'b.html')]
  const printed = await mingaOutput(
    'archive',
    'diff',
    URL_A,
    '--html',
    html,
    '--side-by-side',
    both,
    '--data',
    data,
  )
  assert.equal(printed, '')
  assert.match(readFileSync(html, 'utf8'), /<ins>new<\/ins>/)
  assert.match(readFileSync(both, 'utf8'), /<table>/)
})

test('what cannot be compared ends with a code and a sentence', async () => {
  const missing = await runMinga('archive', 'diff', 'http://never.test/', '2026', '--data', data)
  assert.equal(missing.code, 1)
  assert.match(missing.stderr, /MINGA_NO_SUCH_CAPTURE|no such capture/)
  const wrong = await runMinga('archive', 'diff', URL_A, 'soon', '--data', data)
  assert.equal(wrong.code, 2)
  assert.match(wrong.stderr, /soon/)
  const nowhere = join(folder, 'nowhere', 'a.html')
  const file = await runMinga('archive', 'diff', URL_A, '--html', nowhere, '--data', data)
  assert.equal(file.code, 2)
  assert.ok(!existsSync(nowhere))
})

test('a watched page is compared as its watch sees it, with and without a station, unless asked otherwise', async () => {
  const { on } = await bannerStation({})
  const request = { urls: [BANNER_PAGE], name: 'Town', periodMs: 12 * 3_600_000 }
  const { id } = await on.watch({ ...request, subject: 'page' })
  await on.pass(13 * 3_600_000)
  const there = on.station.data
  await on.station.store.close()

  const diff = async (...more: string[]): Promise<[unknown, unknown]> => {
    const args = ['archive', 'diff', BANNER_PAGE, ...more, '--json', '--data', there]
    const { changed, watch } = JSON.parse(await mingaOutput(...args)) as {
      changed: boolean
      watch: { id: number } | null
    }
    return [changed, watch?.id ?? null]
  }
  const judge = async (): Promise<void> => {
    assert.deepEqual(await diff(), [false, id], 'the banner is noise that the watch knows')
    assert.deepEqual(await diff('--watch', String(id)), [false, id])
    assert.deepEqual(await diff('--raw'), [true, null])
  }
  await judge()
  const text = await mingaOutput('archive', 'diff', BANNER_PAGE, '--data', there)
  assert.match(text, new RegExp(`^# as watch ${id} \\(Town\\) sees it$`, 'm'))
  const missing = await runMinga('archive', 'diff', BANNER_PAGE, '--watch', '77', '--data', there)
  assert.equal(missing.code, 1)
  assert.match(missing.stderr, /MINGA_NO_SUCH_WATCH/)
  const both = ['--watch', '1', '--raw', '--data', there]
  assert.equal((await runMinga('archive', 'diff', BANNER_PAGE, ...both)).code, 2)

  const up = ['up', '--no-agent', '--workers', '0', '--port', '0', '--data', there]
  const station = await startProcess(process.execPath, [MINGA, ...up])
  await station.waitOutput(/Minga is up/, 60_000)
  await judge()
})
