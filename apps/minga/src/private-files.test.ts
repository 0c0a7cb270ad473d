// Goal: only its user reads a data folder, of a new crawl or of an older version, and files that the user asked for
// elsewhere have the user's own mode. Method: the command as a process under a loose umask, and another user (as root) or
// the modes themselves as judges.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startFakeWeb } from '@minga/testkit'
import { runMinga } from '../test/commands/minga-fixture.ts'

const NOBODY = 65_534
const home = mkdtempSync(join(tmpdir(), 'minga-private-'))
const web = await startFakeWeb({ hosts: 1, pagesPerHost: 2 })
process.umask(0o022)
after(async () => {
  await web.close()
  rmSync(home, { recursive: true })
})

const data = join(home, 'data')
const crawl = (): ReturnType<typeof runMinga> =>
  runMinga(['crawl', ...web.seeds, '--data', data, '--delay', '0', '--allow-private-addresses'])

/** Everything below a folder that group or others may read, write or enter. */
function openToOthers(folder: string): string[] {
  const below = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const all = [folder, ...below.map((name) => join(folder, name))]
  return all.filter((path) => (statSync(path).mode & 0o077) !== 0)
}

test('another user of the machine can read nothing of a data folder', async () => {
  const { code, err } = await crawl()
  assert.equal(code, 0, err)
  assert.doesNotMatch(err, /other users/)
  assert.ok(readdirSync(data).includes('minga.db'))
  assert.deepEqual(openToOthers(data), [])
  if (process.getuid?.() !== 0) return
  chmodSync(home, 0o755)
  const reads = (): string =>
    execFileSync('find', [data, '-readable'], {
      uid: NOBODY,
      gid: NOBODY,
      stdio: 'pipe',
    }).toString()
  assert.throws(reads, /Permission denied/)
})

test('a folder of an older version is tightened when it is opened, which is said once', async () => {
  chmodSync(data, 0o755)
  chmodSync(join(data, 'minga.db'), 0o644)
  assert.match((await crawl()).err, /other users could read .* now only its owner can/)
  assert.deepEqual(openToOthers(data), [])
  assert.doesNotMatch((await crawl()).err, /other users/)
})

test('a file that the user asked for outside the data folder has the mode of the user', async () => {
  const wacz = join(home, 'site.wacz')
  const { code, err } = await runMinga(['archive', 'export', '--wacz', wacz, '--data', data])
  assert.equal(code, 0, err)
  assert.equal(statSync(wacz).mode & 0o777, 0o644)
  assert.deepEqual(openToOthers(data), [])
})
