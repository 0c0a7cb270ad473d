/** Masks as they are learnt from fetches in succession. */
import { learnNoise, maskAt, type LearntNoise } from '../../src/detect/learn-noise.ts'
import type { NoiseMask } from '../../src/detect/noise-mask.ts'
import type { PageBody } from '../../src/detect/page-body.ts'
import { twinEvidence } from '../../src/detect/twin-evidence.ts'

const WHOLE_PAGE = { include: [], exclude: [] }

/** Each page is a twin of the one before it. */
export function learntFrom(pages: readonly PageBody[], at = 0): LearntNoise | null {
  let noise: LearntNoise | null = null
  for (const [index, page] of pages.slice(1).entries()) {
    const evidence = twinEvidence(pages[index]!, page, WHOLE_PAGE)
    if (evidence !== null) noise = learnNoise(noise, evidence, at)
  }
  return noise
}

export function maskFrom(...pages: PageBody[]): NoiseMask | null {
  return maskAt(learntFrom(pages), 0)
}
