// Goal: the command says what goes before it goes, refuses what is not clear, and prints what scripts read.
// Method: the real command on a folder with an imported file.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { recordExchange } from '@minga/archive'
import {
  countingIds,
  sampleExchange,
  sampleWarcinfo,
} from '../../../../packages/archive/test/sample-exchange.ts'
import { runMinga } from '../../test/commands/minga-fixture.ts'

const URL_TAKEN = 'http://example.org/ana'

test('takedown shows what would go, asks for a reason and for the version, and then says what went', async (t) => {
  const data = await mkdtemp(join(tmpdir(), 'minga-takedown-'))
  t.after(() => rm(data, { recursive: true }))
  const newId = countingIds()
  const members = [1, 2].flatMap((day) => {
    const capturedAt = Date.UTC(2026, 0, day)
    const body = Buffer.from(`Page of day ${day}`)
    return recordExchange(sampleExchange({ url: URL_TAKEN, capturedAt, body }), newId).members
  })
  const file = join(data, 'theirs.warc.gz')
  await writeFile(file, Buffer.concat([sampleWarcinfo(), ...members]))
  const minga = (...args: string[]) => runMinga([...args, '--data', data])
  assert.equal((await minga('archive', 'import', file)).code, 0)

  const noReason = await minga('takedown', URL_TAKEN, '--all-versions')
  assert.equal(noReason.code, 2)
  assert.match(noReason.err, /--reason takes why they are taken down/)
  const unclear = await minga('takedown', URL_TAKEN, '--reason', 'asked')
  assert.equal(unclear.code, 2)
  assert.match(unclear.err, /2 versions .*--at TIME, or all with --all-versions/)

  const planned = await minga('takedown', URL_TAKEN, '--all-versions', '--dry-run')
  assert.equal(planned.out, `20260101000000  ${URL_TAKEN}\n20260102000000  ${URL_TAKEN}\n`)
  assert.match(planned.err, /2 captures would be taken down/)

  const done = await minga('takedown', URL_TAKEN, '--at', '20260101', '--reason', 'asked', '--json')
  assert.equal(done.code, 0, done.err)
  const { dryRun, captures } = JSON.parse(done.out) as { dryRun: boolean; captures: object[] }
  assert.deepEqual([dryRun, captures.length], [false, 1])

  const gone = await minga('takedown', '--list')
  assert.match(
    gone.out,
    /^20260101000000 {2}http:\/\/example\.org\/ana {2}asked \(\S+, 20\S+Z\)\n$/,
  )
  const left = await minga('archive', 'get', URL_TAKEN)
  assert.equal(left.out, 'Page of day 2')
})
