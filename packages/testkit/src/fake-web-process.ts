/**
 * A fake web in a process of its own, as tests hold it. A web that shared its process with a test
 * would be held up by whatever the test does, and its stamps could then neither accuse nor clear
 * anyone.
 */

import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { readHitLog } from './hit-log-file.ts'
import type { HitJudge } from './hit-log.ts'
import { startProcess } from './processes.ts'
import { expectedUrls, type Expectation } from './web/expected-urls.ts'
import { makeModel } from './web/model.ts'
import { layOutSites } from './web/site.ts'
import { completeSpec, type FakeWebSpec } from './web/spec.ts'

/** Every judgement reads the log again: the web writes each hit there before it answers. */
export interface FakeWebProcess extends HitJudge {
  port: number
  seeds: string[]
  origin(hostIndex: number): string
  /** Grows with every hit; far cheaper to ask for than the hits themselves. */
  logBytes(): number
  /** Every URL that a perfect crawl with scope `any` captures. */
  expectedUrls(expectation?: Expectation): string[]
  close(): Promise<void>
}

const MAIN = fileURLToPath(new URL('fake-web-main.ts', import.meta.url))
/** Starting Node takes a fraction of a second, but machines that test are often busy. */
const PATIENCE_MS = 30_000

/** Also ended by `endAllProcesses`, after which its hits can still be read until `close`. */
export async function startFakeWebProcess(asked: FakeWebSpec): Promise<FakeWebProcess> {
  const spec = completeSpec(asked)
  const folder = mkdtempSync(join(tmpdir(), 'minga-fake-web-'))
  const [specFile, logFile] = [join(folder, 'spec.json'), join(folder, 'hits.jsonl')]
  writeFileSync(specFile, JSON.stringify(asked))
  const args = [MAIN, '--spec', specFile, '--log', logFile, '--log-at-once']
  const child = await startProcess(process.execPath, args)
  const port = Number((await child.waitOutput(/^ready (\d+)$/m, PATIENCE_MS))[1])

  const model = makeModel(spec, layOutSites(spec, port))
  const seeds = [`${model.sites.at(0).origin}/p/0`]
  return {
    port,
    seeds,
    origin: (hostIndex) => model.sites.at(hostIndex).origin,
    logBytes: () => statSync(logFile).size,
    expectedUrls: (expectation) => expectedUrls(model, seeds, expectation),
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
