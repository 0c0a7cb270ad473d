// Goal: an archive of an older version is found wrong, repaired whatever dies meanwhile, and handed out right.
// Method: a folder as that version left it, the real command killed in its middle; npm's warcio reads the result.
import assert from 'node:assert/strict'
import { createReadStream, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { execFileSync } from 'node:child_process'
import { WARCParser } from 'warcio'
import { faultsEnv, killAt } from '@minga/testkit'
import { OLD_PAGES, writeOldArchive } from '../../apps/minga/test/old-archive-fixture.ts'
import { mingaOutput, runMinga } from './run-minga.ts'

const folder = mkdtempSync(join(tmpdir(), 'minga-repair-'))
after(() => rmSync(folder, { recursive: true, force: true }))

interface Checked {
  ok: boolean
  findings: { code: string; message: string }[]
}

interface Repaired {
  dryRun: boolean
  revisits: number
  repaired: number
  lost: number
}

const verify = async (data: string): Promise<Checked> =>
  JSON.parse(
    (await runMinga('archive', 'verify', '--json', '--data', data)).stdout.toString(),
  ) as Checked

const repair = async (data: string, ...more: string[]): Promise<Repaired> =>
  JSON.parse(await mingaOutput('archive', 'repair', '--json', '--data', data, ...more)) as Repaired

interface Header {
  type: string
  id: string
  refersTo: string | null
}

/** Every record of some files, as another tool reads them. */
async function headersIn(paths: readonly string[]): Promise<Header[]> {
  const headers: Header[] = []
  for (const path of paths) {
    for await (const record of new WARCParser(createReadStream(path))) {
      const id = record.warcHeader('WARC-Record-ID') ?? ''
      headers.push({
        type: record.warcType ?? '',
        id,
        refersTo: record.warcHeader('WARC-Refers-To') ?? null,
      })
    }
  }
  return headers
}

function assertRight(headers: readonly Header[], revisits: number): void {
  const responses = new Set(headers.filter(({ type }) => type === 'response').map(({ id }) => id))
  const found = headers.filter(({ type }) => type === 'revisit')
  assert.equal(found.length, revisits)
  for (const { refersTo } of found) assert.ok(refersTo !== null && responses.has(refersTo))
}

async function warcsOf(wacz: string): Promise<string[]> {
  const out = mkdtempSync(join(folder, 'unpacked-'))
  execFileSync('python3', ['-m', 'zipfile', '-e', wacz, out])
  return readdirSync(join(out, 'archive')).map((name) => join(out, 'archive', name))
}

test('a repair that is killed at any point is finished by the next, and does nothing after that', async () => {
  const data = join(folder, 'killed')
  await writeOldArchive(data)
  const former = readFileSync(join(data, 'archive', 'minga-old.warc.gz'))
  const { ok, findings } = await verify(data)
  assert.equal(ok, false)
  assert.deepEqual(
    findings.map(({ code }) => code),
    ['revisit-of-revisit', 'revisit-of-revisit'],
  )
  assert.match(findings[0]!.message, /Run `minga archive repair`/)
  assert.equal((await repair(data, '--dry-run')).repaired, 3)

  for (const point of ['repair:before-commit', 'repair:step-done'] as const) {
    Object.assign(process.env, faultsEnv([killAt(point)]))
    const killed = await runMinga('archive', 'repair', '--data', data)
    delete process.env['MINGA_FAULTS']
    assert.notEqual(killed.code, 0, killed.stderr)
  }
  assert.equal((await repair(data)).repaired, 0)
  assert.equal((await verify(data)).ok, true)
  assert.deepEqual(readFileSync(join(data, 'archive', 'minga-old.warc.gz')), former)
})

test('an export of an old archive, whole or in part, holds only revisits of its own responses', async () => {
  const data = join(folder, 'exported')
  await writeOldArchive(data)
  const part = join(folder, 'part.wacz')
  await mingaOutput(
    'archive',
    'export',
    '--wacz',
    part,
    '--url-prefix',
    OLD_PAGES[1]!.url,
    '--data',
    data,
  )
  assertRight(await headersIn(await warcsOf(part)), 3)
  const whole = join(folder, 'whole.wacz')
  await mingaOutput('archive', 'export', '--wacz', whole, '--data', data)
  assertRight(await headersIn(await warcsOf(whole)), 3)
})
