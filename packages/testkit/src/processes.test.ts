// Goal: children can be heard and are always ended. Method: small shell and Node children,
// among them the fake web as a process of its own.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import { readHitLog } from './hit-log-file.ts'
import { endAllProcesses, readProcesses, startProcess } from './processes.ts'
import { rawGet } from './web/raw-request.ts'

after(() => endAllProcesses())

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'minga-processes-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

/** A dead orphan that was not reaped yet still has a number; its state is Z. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  return /^[^Z]/.test(stdout.trim())
}

test('output, exit code, environment and folder are those of the child', async (t) => {
  const cwd = folderFor(t)
  const child = await startProcess(
    'sh',
    ['-c', 'echo "$GREETING from $(pwd)"; echo oops >&2; exit 7'],
    {
      env: { GREETING: 'hello' },
      cwd,
    },
  )
  assert.deepEqual(await child.waitExit(5000), { code: 7, signal: null })
  assert.equal(child.stdout(), `hello from ${cwd}\n`)
  assert.equal(child.stderr(), 'oops\n')
  child.kill9()
})

test('killing the tree ends grandchildren too, even after the child itself is dead', async () => {
  const child = await startProcess('sh', ['-c', 'sleep 60 & echo "pid $!"; wait'])
  const [, pid] = await child.waitOutput(/pid (\d+)/, 5000)
  child.kill9()
  assert.equal((await child.waitExit(5000)).signal, 'SIGKILL')
  assert.equal(isAlive(Number(pid)), true)
  await endAllProcesses()
  while (isAlive(Number(pid))) await sleep(5)
})

test('waiting without success ends with an error that repeats the last words', async () => {
  const child = await startProcess('sh', ['-c', 'echo still here; sleep 60'])
  await child.waitOutput(/still/, 5000)
  await assert.rejects(child.waitExit(20), {
    code: 'MINGA_PROCESS_TOO_SLOW',
    message: /still here/,
  })
  child.killTree()
  await child.waitExit(5000)
})

test('a program that does not exist is an error, not a crash', async () => {
  await assert.rejects(startProcess('/no/such/program', []), { code: 'ENOENT' })
})

test('processes.json is read, and bad or missing ones give an empty list', (t) => {
  const folder = folderFor(t)
  assert.deepEqual(readProcesses(folder), [])
  writeFileSync(join(folder, 'processes.json'), '[{"pid":5,"role":"agent"},{"pid":"x"},3]')
  assert.deepEqual(readProcesses(folder), [{ pid: 5, role: 'agent' }])
  writeFileSync(join(folder, 'processes.json'), '[{"pid":')
  assert.deepEqual(readProcesses(folder), [])
})

test('a fake web of its own process serves, logs, and stops with its standard input', async (t) => {
  const folder = folderFor(t)
  const [spec, log] = [join(folder, 'spec.json'), join(folder, 'hits.jsonl')]
  writeFileSync(spec, JSON.stringify({ hosts: 5, pagesPerHost: 3 }))
  const main = new URL('fake-web-main.ts', import.meta.url).pathname
  const web = await startProcess(process.execPath, [
    main,
    '--spec',
    spec,
    '--port',
    '0',
    '--log',
    log,
  ])
  const [, port] = await web.waitOutput(/^ready (\d+)$/m, 10_000)
  const url = `http://127.0.8.5:${port}/p/2`
  assert.match((await rawGet(url)).body.toString(), /Host 4, page 2/)
  while (readHitLog(log).hits().length === 0) await sleep(10)
  assert.deepEqual(
    readHitLog(log)
      .hits()
      .map((hit) => [hit.url, hit.status]),
    [[url, 200]],
    'the log of a running web can be read',
  )
  await rawGet(`http://127.0.8.4:${port}/p/9`)
  web.closeStdin()
  assert.deepEqual(await web.waitExit(5000), { code: 0, signal: null })
  assert.deepEqual(
    readHitLog(log)
      .hits()
      .map(({ status }) => status),
    [200, 404],
  )
})
