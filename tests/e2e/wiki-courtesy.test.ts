// Goal: however many agents a station has, a wiki is asked at its pace, one request at a time, and each
// continuation once. Method: a station and two agents as processes, judged by the fake wiki's own log.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WikiTaskView } from '@minga/protocol'
import { endAllProcesses, startFakeWiki, type WikiOperation } from '@minga/testkit'
import { callStation, joinStation, startStation, type Station } from './station-process.ts'

const DELAY_MS = 300
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'minga-wiki-courtesy-'))

after(async () => {
  await endAllProcesses()
  fs.rmSync(folder, { recursive: true, force: true })
})

function edits(title: string, count: number): WikiOperation[] {
  return Array.from({ length: count }, (_, i) => ({ do: 'edit', title, text: `${title} ${i}` }))
}

async function untilDone(station: Station, id: number): Promise<WikiTaskView> {
  for (let looks = 0; looks < 600; looks++) {
    const task = await callStation<WikiTaskView>(station, ['GET', `/wikis/tasks/${id}`])
    if (task.state !== 'running' && task.state !== 'waiting') return task
    await sleep(100)
  }
  assert.fail('the task does not end')
}

test('Courtesy delay: gaps at the fake server ≥ limit across all workers', async (t) => {
  const history = [...edits('Llama', 120), ...edits('Alpaca', 110), ...edits('Vicuna', 70)]
  const wiki = await startFakeWiki({ history })
  t.after(() => wiki.close())
  const station = await startStation(path.join(folder, 'station'))
  for (const name of ['a1', 'a2']) await joinStation(station, path.join(folder, name))
  const { id } = await callStation<WikiTaskView>(station, ['POST', '/wikis'], {
    address: wiki.apiUrl,
    namespaces: [0],
    delayMs: DELAY_MS,
  })
  const task = await untilDone(station, id)
  // The wiki's own main page is there, too.
  assert.deepEqual([task.state, task.progress.revisions], ['done', 301])
  assert.deepEqual(wiki.violations({ delayMs: DELAY_MS, per: 'host' }), [])
  assert.equal(wiki.concurrencyMax('host'), 1)
  assert.deepEqual(wiki.refetched(), [])
  const agents = new Set(wiki.hits().map(({ userAgent }) => userAgent))
  assert.match([...agents].join(), /^Minga\S*\/\S+ \(/)
})
