/** Walks the steps of a wiki the way a station does, without a station: one request after the other. */
import type { Revision, SiteInfo } from '../../src/model.ts'
import { readAnswer, readFailure, type AnswerContext } from '../../src/api/read-answer.ts'
import { stepOfUrl, urlOfStep } from '../../src/api/step-url.ts'
import type { WikiNews } from '../../src/api/wiki-news.ts'
import type { WikiStep } from '../../src/api/wiki-step.ts'

export interface Walk {
  site: SiteInfo | null
  steps: WikiStep[]
  news: WikiNews[]
  revisions: Map<number, Revision>
}

interface WalkOptions {
  site?: SiteInfo | null
  title?: string
  /** Stored before. */
  revisions?: ReadonlyMap<number, Revision>
  follow?: (news: WikiNews, site: SiteInfo | null) => WikiStep[]
}

const STEPS_MAX = 2_000

/** Every step travels as its URL, and each URL is asked once, as by the frontier. */
export async function walk(first: readonly WikiStep[], options: WalkOptions = {}): Promise<Walk> {
  const revisions = new Map(options.revisions)
  const walked: Walk = { site: options.site ?? null, steps: [], news: [], revisions }
  const queue = first.map(urlOfStep)
  const seen = new Set(queue)
  for (let url = queue.shift(); url !== undefined; url = queue.shift()) {
    const step = stepOfUrl(url)
    if (step === null || walked.steps.length >= STEPS_MAX) throw new Error(`not a step: ${url}`)
    const known = (revId: number) => revisions.get(revId) ?? null
    const news = await ask(step, url, { site: walked.site, now: 0, known, title: options.title })
    walked.site = news.site ?? walked.site
    walked.steps.push(step)
    walked.news.push(news)
    for (const revision of news.revisions) revisions.set(revision.revId, revision)
    // Asked again as a station would, only sooner.
    if (news.problem?.retry === 'later') queue.unshift(url)
    const onward = [...news.next, ...(options.follow?.(news, walked.site) ?? [])].map(urlOfStep)
    for (const next of onward.filter((each) => !seen.has(each))) {
      seen.add(next)
      queue.push(next)
    }
  }
  return walked
}

async function ask(step: WikiStep, url: string, context: AnswerContext): Promise<WikiNews> {
  try {
    const { status, headers, body } = await received(url)
    return readAnswer(step, { status, headers: [...headers], body }, context)
  } catch (error) {
    // What `fetch` throws when a connection ends too early; anything else is a fault of ours.
    if (!(error instanceof TypeError)) throw error
    return readFailure(step, 'MINGA_CONNECTION_LOST', context)
  }
}

async function received(url: string) {
  const response = await fetch(url)
  const body = new Uint8Array(await response.arrayBuffer())
  return { status: response.status, headers: response.headers, body }
}
