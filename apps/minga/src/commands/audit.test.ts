// Goal: an operator reads, exports and verifies the audit log from the command line, and an exported log that was changed
// is found out without a station. Method: the real command line as processes on the folder of a station.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startCoordinator } from '@minga/coordinator/start'
import type { AuditEntry, AuditVerdict } from '@minga/protocol'
import { runMinga } from '../../test/commands/minga-fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'minga-audit-'))
const data = join(folder, 'station')
after(() => rmSync(folder, { recursive: true, force: true }))

test('the log of a folder is listed, exported and verified, and a changed export is not', async () => {
  const { app, close } = await startCoordinator({ data, listen: null, allowPrivateAddresses: true })
  const payload = { delayMs: 1_250 }
  await app.inject({
    method: 'PATCH',
    url: '/api/settings',
    headers: { host: 'localhost' },
    payload,
  })
  await close()

  const listed = await runMinga(['audit', 'list', '--act', 'setting:changed', '--data', data])
  assert.match(listed.out, /^ +\d+ \S+Z operator setting:changed delayMs before=1000 after=1250\n$/)

  const exported = (await runMinga(['audit', 'export', '--data', data])).out
  const entries = exported
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as AuditEntry)
  const head = entries.at(-1)!.hash
  const verified = await runMinga(['audit', 'verify', '--head', head, '--json', '--data', data])
  const verdict = JSON.parse(verified.out) as AuditVerdict
  assert.deepEqual([verified.code, verdict.isIntact, verdict.head], [0, true, head])

  const file = join(folder, 'audit.jsonl')
  const verify = (...options: string[]) => runMinga(['audit', 'verify', '--file', file, ...options])
  writeFileSync(file, exported.replace('"1250"', '"1000"'))
  const changed = await verify()
  assert.equal(changed.code, 1)
  assert.match(changed.out, new RegExp(`broken: entry ${entries.length} is not what was written`))

  writeFileSync(file, exported.trim().split('\n').slice(0, -1).join('\n'))
  const cut = await verify('--head', head)
  assert.equal(cut.code, 1)
  assert.match(cut.out, /lost its end/)
  writeFileSync(file, 'no entry')
  assert.match((await verify()).err, /MINGA_UNREADABLE_FILE/)
  assert.equal((await verify('--head', 'short')).code, 2)
})
