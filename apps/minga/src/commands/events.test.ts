// Goal: an operator reads and follows the log of a station from the command line, of one that runs and of a folder.
// Method: the real command line as processes against a real station on loopback.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import type { LoggedEvent } from '@minga/protocol'
import { endAllProcesses, startProcess } from '@minga/testkit'
import { MINGA, runMinga } from '../../test/commands/minga-fixture.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'minga-events-'))
const data = path.join(folder, 'station')
after(async () => {
  await endAllProcesses()
  rmSync(folder, { recursive: true, force: true })
})

const PATIENCE_MS = 60_000

const linesOf = (text: string): LoggedEvent[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as LoggedEvent)

test('the log is shown in order, narrowed, and from a folder that no station serves', async () => {
  const up = ['up', '--no-agent', '--port', '0', '--data', data]
  const station = await startProcess(process.execPath, [MINGA, ...up])
  const file = path.join(data, 'station.json')
  while (!existsSync(file)) await new Promise((wake) => setTimeout(wake, 50))
  const { url, apiKey } = JSON.parse(readFileSync(file, 'utf8')) as { url: string; apiKey: string }
  await runMinga(['config', 'set', 'delayMs', '1250', '--data', data])
  const remote = ['--station', url, '--key', apiKey]
  const settings = await runMinga(['events', '--context', 'setting', ...remote])
  assert.match(settings.out, /^\S+Z notice {2}setting:changed delayMs .* 1250 .* \(operator\)\n$/)
  station.signal('SIGINT')
  await station.waitExit(PATIENCE_MS)
  const all = linesOf((await runMinga(['events', '--json', '--data', data])).out)
  const codes = all.map(({ code }) => code)
  assert.ok(codes.indexOf('station:started') < codes.indexOf('station:stopped'))
  await runMinga(['config', 'show', '--data', data])
  const again = linesOf((await runMinga(['events', '--json', '--data', data])).out)
  assert.deepEqual(again, all, 'to look into the folder is no event')
  const followed = await runMinga(['events', '--follow', '--level', 'error', '--data', data])
  assert.deepEqual([followed.code, followed.out], [0, ''])
  assert.match(followed.err, /no station serves the folder/)
  assert.equal((await runMinga(['events', '--level', 'loud', '--data', data])).code, 2)
})
