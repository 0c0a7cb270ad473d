// Goal: a check of a WARC file from elsewhere names each revisit that replay could not follow, as a check of the
// archive does. Method: files written record by record, checked by the real command.
import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { encodeRecord, sha256Label, warcinfoMember, type HeaderPair } from '@minga/archive'
import { writeOldArchive } from '../../../test/old-archive-fixture.ts'
import { runMinga } from '../../../test/commands/minga-fixture.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'minga-foreign-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const inFolder = (name: string): string => path.join(folder, name)

interface Checked {
  ok: boolean
  files: number
  findings: { severity: string; file: string; offset: number; code: string; message: string }[]
}

async function check(...files: string[]): Promise<Checked & { exit: number }> {
  const { code, out } = await runMinga(['archive', 'verify', '--json', ...files])
  return { ...(JSON.parse(out) as Checked), exit: code }
}

const URL_OF_ALL = 'http://a.test/'
const dateOf = (second: number): string =>
  new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
const idOf = (n: number): string => `<urn:uuid:00000000-0000-4000-8000-00000000000${n}>`
const info = warcinfoMember({
  id: '00000000-0000-4000-8000-00000000ffff',
  createdAt: 0,
  fileName: 'foreign.warc.gz',
  software: 'another',
})

/** Record `n` was made in second `n` of the first of January. */
function member(n: number, type: 'response' | 'revisit', more: HeaderPair[], body = 'one'): Buffer {
  const isRevisit = type === 'revisit'
  return encodeRecord({
    type,
    headers: [
      ['WARC-Record-ID', idOf(n)],
      ['WARC-Date', dateOf(n)],
      ['WARC-Target-URI', URL_OF_ALL],
      ['WARC-Payload-Digest', sha256Label([Buffer.from(body)])],
      ['Content-Type', 'application/http; msgtype=response'],
      ...(isRevisit ? [['WARC-Profile', 'identical'] satisfies HeaderPair] : []),
      ...more,
    ],
    block: [Buffer.from(`HTTP/1.1 200 OK\r\n\r\n${isRevisit ? '' : body}`)],
  })
}

const byPlace = (n: number): HeaderPair[] => [
  ['WARC-Refers-To-Target-URI', URL_OF_ALL],
  ['WARC-Refers-To-Date', dateOf(n)],
]
const byId = (n: number): HeaderPair[] => [['WARC-Refers-To', idOf(n)]]

test('chains of revisits are found in a file outside the archive as they are inside it', async () => {
  const data = inFolder('data')
  await writeOldArchive(data)
  const file = inFolder('copy.warc.gz')
  copyFileSync(path.join(data, 'archive', 'minga-old.warc.gz'), file)
  const { exit, ok, findings } = await check(file)
  assert.deepEqual([exit, ok], [1, false])
  const inside = JSON.parse(
    (await runMinga(['archive', 'verify', '--json', '--data', data])).out,
  ) as Checked
  const places = ({ findings: all }: Pick<Checked, 'findings'>): string[] =>
    all.map(({ severity, offset, code }) => `${severity} ${offset} ${code}`)
  assert.deepEqual(places({ findings }), places(inside))
  assert.match(findings[0]!.message, /^The capture of http:\/\/old\.test\/same1 of 20260101120200 /)
  assert.match(
    findings[0]!.message,
    /another revisit\. Import the file, then run `minga archive repair`\.$/,
  )
})

test('references by address, by identifier and between files given together are judged', async () => {
  const members = [
    info,
    member(1, 'response', []),
    member(2, 'revisit', [...byId(1), ...byPlace(1)]),
    member(3, 'revisit', byId(1)),
    member(4, 'revisit', byId(3)),
    member(5, 'revisit', [...byId(4), ...byPlace(1)]),
    member(6, 'revisit', byPlace(1), 'two'),
    member(7, 'revisit', byPlace(9)),
  ]
  const offsets = members.map((_, i) => Buffer.concat(members.slice(0, i)).length)
  const first = inFolder('first.warc.gz')
  const second = inFolder('second.warc.gz')
  writeFileSync(first, Buffer.concat(members))
  writeFileSync(second, Buffer.concat([info, member(9, 'response', [])]))
  const alone = await check(first)
  const found = alone.findings.filter(({ code }) => code !== 'revisit-target')
  assert.deepEqual(
    found.map(({ severity, code, offset }) => [severity, code, offsets.indexOf(offset)]),
    [
      ['error', 'revisit-of-revisit', 4],
      ['error', 'revisit-wrong', 5],
      ['error', 'revisit-wrong', 6],
      ['warning', 'revisit-dangling', 7],
    ],
  )
  assert.deepEqual([alone.exit, alone.files], [1, 1])
  const together = await check(first, second)
  assert.equal(together.files, 2)
  assert.ok(together.findings.every(({ code }) => code !== 'revisit-dangling'))
})
