/** The fake web in its own process, with what each crawl did to it. */
import {
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  closeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemClock } from '@minga/protocol'
import { readHitLog, startProcess, type FakeWebSpec, type HitJudge } from '@minga/testkit'

export interface BenchWeb {
  seed: string
  spec: FakeWebSpec
  /** What the web saw while `crawl` ran. */
  watch<R>(crawl: () => Promise<R>): Promise<{ result: R; hits: HitJudge }>
  stop(): Promise<void>
}

const MAIN = fileURLToPath(new URL('../packages/testkit/src/fake-web-main.ts', import.meta.url))
const START_TIMEOUT_MS = 30_000
/** The log is written in batches; after this pause all of a crawl's hits are in it. */
const LOG_PAUSE_MS = 300

export async function startBenchWeb(spec: FakeWebSpec): Promise<BenchWeb> {
  const folder = mkdtempSync(join(tmpdir(), 'minga-bench-web-'))
  const [specFile, logFile, partFile] = ['spec.json', 'hits.jsonl', 'part.jsonl'].map((name) =>
    join(folder, name),
  ) as [string, string, string]
  writeFileSync(specFile, JSON.stringify(spec))
  const child = await startProcess(process.execPath, [MAIN, '--spec', specFile, '--log', logFile])
  const [, port] = await child.waitOutput(/ready (\d+)/, START_TIMEOUT_MS)
  return {
    seed: `http://127.0.8.1:${port}/p/0`,
    spec,
    watch: async (crawl) => {
      const from = statSync(logFile).size
      const result = await crawl()
      await systemClock.sleep(LOG_PAUSE_MS)
      writeFileSync(partFile, readFrom(logFile, from))
      return { result, hits: readHitLog(partFile) }
    },
    stop: async () => {
      child.closeStdin()
      await child.waitExit(START_TIMEOUT_MS)
      child.killTree()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function readFrom(file: string, from: number): Buffer {
  const part = Buffer.alloc(statSync(file).size - from)
  const descriptor = openSync(file, 'r')
  for (let at = 0; at < part.length;) {
    at += readSync(descriptor, part, at, part.length - at, from + at)
  }
  closeSync(descriptor)
  return part
}
