/** A load test of one of the demo's sites: its owner proves that it is theirs, and a few visitors come at once. */
import { isMingaError } from '@minga/protocol'
import type { DemoStage } from './demo-stage.ts'

const SITE = 'archive'
const TRIES = 20
const TRY_EVERY_MS = 1_500

interface LoadTestView {
  id: string
  proof: { file: { path: string; content: string } } | null
}

export async function testLoad(stage: DemoStage): Promise<void> {
  const { api, web } = stage
  const { id, proof } = await api.post<LoadTestView>('/load-tests', {
    urls: [web.at(SITE, '/page/1'), web.at(SITE, '/page/2')],
    visitorsMax: 6,
    stepS: 3,
    thinkMs: 400,
    bears: { p95Ms: 1_000 },
    ceilings: { requestsPerSecond: 20, p95Ms: 5_000 },
  })
  if (proof !== null) web.publish(SITE, proof.file.path, proof.file.content)
  await startWhenProven(stage, id)
}

/** The proof is fetched by an agent like any page: it takes its turn. */
async function startWhenProven({ api, clock, signal }: DemoStage, id: string): Promise<void> {
  for (let tried = 1; !signal.aborted; tried++) {
    try {
      await api.post(`/load-tests/${id}/start`, {})
      return
    } catch (error) {
      if (!isMingaError(error) || tried === TRIES) throw error
    }
    await clock.sleep(TRY_EVERY_MS, signal)
  }
}
