/** A fake wiki in a process of its own, as tests hold it: its stamps do not suffer from the test. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { readHitLog } from '../hit-log-file.ts'
import type { HitJudge } from '../hit-log.ts'
import { startProcess } from '../processes.ts'
import { STREAM_PATH } from './event-stream.ts'
import type { FakeWiki, FakeWikiSpec } from './fake-wiki.ts'
import type { WikiOperation, WikiOperationResult } from './operation.ts'
import type { WikiFault } from './wiki-faults.ts'

/** Every judgement reads the log again: the wiki writes each hit there before it answers. */
export interface FakeWikiProcess
  extends HitJudge, Pick<FakeWiki, 'port' | 'url' | 'apiUrl' | 'streamUrl' | 'close'> {
  perform(operations: WikiOperation[]): Promise<WikiOperationResult[]>
  fail(...faults: WikiFault[]): Promise<void>
}

const MAIN = fileURLToPath(new URL('fake-wiki-main.ts', import.meta.url))
/** Starting Node takes a fraction of a second, but machines that test are often busy. */
const PATIENCE_MS = 30_000

export async function startFakeWikiProcess(spec: FakeWikiSpec = {}): Promise<FakeWikiProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'minga-fake-wiki-'))
  const [specFile, logFile] = [join(folder, 'spec.json'), join(folder, 'hits.jsonl')]
  writeFileSync(specFile, JSON.stringify(spec))
  const child = await startProcess(process.execPath, [MAIN, '--spec', specFile, '--log', logFile])
  const port = Number((await child.waitOutput(/^ready (\d+)$/m, PATIENCE_MS))[1])
  const url = `http://127.0.0.1:${port}`
  let orders = 0
  const order = async (line: object): Promise<string> => {
    const mine = (orders += 1)
    child.write(`${JSON.stringify(line)}\n`)
    const answers = new RegExp(`(?:^done .*\\n[^]*?){${mine - 1}}^done (.*)$`, 'm')
    return (await child.waitOutput(answers, PATIENCE_MS))[1] ?? '[]'
  }
  return {
    port,
    url,
    apiUrl: `${url}/w/api.php`,
    streamUrl: url + STREAM_PATH,
    perform: async (perform) => {
      const results: WikiOperationResult[] = JSON.parse(await order({ perform }))
      return results
    },
    fail: async (...fail) => void (await order({ fail })),
    hits: () => readHitLog(logFile).hits(),
    hitsByUrl: () => readHitLog(logFile).hitsByUrl(),
    violations: (rule) => readHitLog(logFile).violations(rule),
    concurrencyMax: (per) => readHitLog(logFile).concurrencyMax(per),
    refetched: () => readHitLog(logFile).refetched(),
    close: async () => {
      child.closeStdin()
      await child.waitExit(PATIENCE_MS)
      child.killTree()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
