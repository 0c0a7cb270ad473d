/** /bot: plain forms, no script and no cookie, for site owners who found this bot in a log. */
import { isMingaError } from '@minga/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import {
  addressSaid,
  BOT_HEADERS,
  introduction,
  ownerPage,
  page,
  problemSaid,
  proofPage,
  type BotFacts,
} from './bot-page.ts'
import { BOT_WORDS, chosenLanguage, type Words } from './bot-words.ts'
import type { Html } from '../http/html.ts'
import {
  addressBody,
  idField,
  openBody,
  patternOf,
  proofBody,
  ruleBody,
  undoBody,
  wishOf,
} from './site-owner-routes.ts'
import type { OwnProof, SiteOwners } from './site-owners.ts'

/** How the station calls an error. */
export interface Problem {
  status: number
  code: string
  message: string
  retryAfterS: number | null
}

export interface BotRoutesParts {
  siteOwners: SiteOwners
  facts: () => BotFacts
  describe: (error: unknown) => Problem
}

/** A form of a few short fields. */
const FORM_BYTES_MAX = 8 * 1024
const FORM_TYPE = 'application/x-www-form-urlencoded'
const SECOND_MS = 1_000
const languageQuery = z.object({ language: z.unknown().optional() })
const idFields = z.object({ id: idField })

type Step = (request: FastifyRequest, words: Words) => Promise<Html>

export function botRoutes(app: FastifyInstance, parts: BotRoutesParts): void {
  const { siteOwners } = parts
  app.addContentTypeParser(FORM_TYPE, { parseAs: 'string' }, (_request, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  )
  const shown = async (
    request: FastifyRequest,
    reply: FastifyReply,
    step: Step,
  ): Promise<string> => {
    const { language: chosen } = languageQuery.parse(request.query)
    const language = chosenLanguage(chosen, request.headers['accept-language'])
    const words = BOT_WORDS[language]
    void reply.headers(BOT_HEADERS)
    try {
      return page(language, await step(request, words))
    } catch (error) {
      const problem = parts.describe(error)
      // What is our own trouble is said on stderr as well, as everywhere.
      if (problem.status >= 500 && !isMingaError(error)) throw error
      void reply.status(problem.status)
      const { retryAfterS } = problem
      if (retryAfterS !== null) void reply.header('retry-after', retryAfterS)
      return page(language, introduction(words, parts.facts(), problemSaid(words, problem)))
    }
  }
  const form = (path: string, step: Step): void => {
    app.post(path, { bodyLimit: FORM_BYTES_MAX }, (request, reply) => shown(request, reply, step))
  }

  app.get('/bot', (request, reply) =>
    shown(request, reply, async (_request, words) => introduction(words, parts.facts())),
  )
  form('/bot/proof', async ({ body, ip }, words) => {
    const { host } = openBody.parse(body)
    const opened = await siteOwners.open({ host, purpose: 'owner' }, ip)
    return proofPage(words, await siteOwners.proof(opened), opened)
  })
  const owned = async (proof: OwnProof, words: Words, ip: string): Promise<Html> => {
    const view = await siteOwners.proof(proof)
    if (view.provenBy === null) return proofPage(words, view, proof)
    return ownerPage(words, { view, account: await siteOwners.account(proof, ip) }, proof)
  }
  form('/bot/check', async ({ body, ip }, words) => {
    const proof = proofIn(body)
    await siteOwners.check(proof, ip)
    return owned(proof, words, ip)
  })
  form('/bot/rule', async ({ body, ip }, words) => {
    const proof = proofIn(body)
    await siteOwners.decide(proof, wishOf(ruleBody.parse(body)))
    return owned(proof, words, ip)
  })
  form('/bot/undo', async ({ body, ip }, words) => {
    const proof = proofIn(body)
    await siteOwners.undo(proof, patternOf(undoBody.parse(body).host))
    return owned(proof, words, ip)
  })
  form('/bot/address', async ({ body, ip }, words) => {
    const { windowS, ...asked } = addressBody.parse(body)
    const question = { ...asked, windowMs: windowS * SECOND_MS }
    const answer = await siteOwners.askAddress(question, ip)
    return introduction(words, parts.facts(), addressSaid(words, answer))
  })
}

function proofIn(body: unknown): OwnProof {
  return { ...idFields.parse(body), ...proofBody.parse(body) }
}
