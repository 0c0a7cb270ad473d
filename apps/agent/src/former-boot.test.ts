// Goal: a run knows which one it follows, and believes no broken file. Method: one folder, several runs.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { succeed } from './former-boot.ts'

const folder = await mkdtemp(join(tmpdir(), 'minga-boot-'))
after(() => rm(folder, { recursive: true }))

test('each run gets the one before it, the first and one after a broken file none', async () => {
  assert.equal(await succeed(folder, 'the-first-run'), null)
  assert.equal(await succeed(folder, 'the-second-run'), 'the-first-run')
  assert.equal(await succeed(folder, 'the-third-run'), 'the-second-run')
  await writeFile(join(folder, 'boot'), '{"half of')
  assert.equal(await succeed(folder, 'the-fourth-run'), null)
})
