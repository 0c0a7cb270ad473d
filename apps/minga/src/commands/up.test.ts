// Goal: a station that cannot be as it was asked to be says why and ends with the code of its kind.
// Method: the real command line as a process.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { endAllProcesses, startProcess } from '@minga/testkit'

const MINGA = path.resolve(import.meta.dirname, '../../bin/minga.mjs')
const folder = await mkdtemp(path.join(tmpdir(), 'minga-up-'))
after(async () => {
  await endAllProcesses()
  await rm(folder, { recursive: true })
})

test('a file of countries that is not there is a mistake of configuration', async () => {
  const file = path.join(folder, 'nowhere.mmdb')
  const args = ['up', '--no-agent', '--port', '0', '--data', path.join(folder, 'data')]
  const child = await startProcess(process.execPath, [MINGA, ...args, '--geoip', file])
  const { code } = await child.waitExit(30_000)
  assert.equal(code, 4)
  assert.match(child.stderr(), /nowhere\.mmdb cannot be read.*MINGA_BAD_GEOIP/s)
})
