/** What was earned and spent: balances, statements, the leaderboard, and whether the books balance. */
import {
  clientAccount,
  POSTING_KINDS,
  STATEMENT_ORDERS,
  statementCsv,
  statementJsonl,
  statementLines,
  volunteerAccount,
  type StatementLine,
} from '@minga/fleet'
import type { SortedPage } from '@minga/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import { z } from 'zod'
import { may, type RouteContext } from '../accounts/access.ts'
import { quotaOf } from './requests.ts'
import { LISTING, toPageArgs, toSortedPage, sortsOf, SPAN } from '../station/sorted-lists.ts'

const moneyQuery = z.object({
  /** As what: money spent as a client, or earned as a volunteer. */
  as: z.enum(['client', 'volunteer']).default('client'),
  /** The account of another user, for callers who may read all accounts. */
  account: z.string().max(100).optional(),
})
const statementQuery = moneyQuery.extend({
  format: z.enum(['jsonl', 'csv']).default('jsonl'),
  from: z.coerce.number().int().optional(),
  to: z.coerce.number().int().optional(),
})
const pageQuery = moneyQuery.extend({
  ...LISTING,
  ...SPAN,
  kind: z.enum(POSTING_KINDS).optional(),
  sort: z.enum(sortsOf(STATEMENT_ORDERS)).default('-at'),
})
const quotaQuery = moneyQuery.pick({ account: true })
const boardQuery = z.object({
  days: z.coerce.number().int().min(1).max(3_650).default(30),
  limit: z.coerce.number().int().min(1).max(1_000).default(50),
})
const daysQuery = boardQuery.extend({ days: z.coerce.number().int().min(1).max(366).default(30) })
/** Null: not named. */
const boardBody = z.object({ name: z.string().min(1).max(60).nullable() })
/** Lines read from the store at a time. */
const PAGE = 1_000
const DAY_MS = 86_400_000

export function moneyRoutes(app: FastifyInstance, context: RouteContext): void {
  const { store, clock } = context
  const whose = (request: FastifyRequest, asked: string | undefined): string => {
    const { accountId, reach } = context.access.requireAction(request, 'ledger:read')
    return reach === 'all' ? (asked ?? accountId) : accountId
  }
  const accountOf = (request: FastifyRequest, query: z.infer<typeof moneyQuery>): string => {
    const account = whose(request, query.account)
    return query.as === 'client' ? clientAccount(account) : volunteerAccount(account)
  }

  app.get('/balance', may('ledger:read'), async (request) => {
    const account = accountOf(request, moneyQuery.parse(request.query))
    const [balance] = await store.call('balancesOf', { accounts: [account] })
    return balance
  })
  app.get('/statement', may('ledger:read'), async (request, reply) => {
    const { format, from, to, ...query } = statementQuery.parse(request.query)
    const account = accountOf(request, query)
    const range = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
    const lines = statementLines((afterId) =>
      store.call('statement', {
        account,
        ...range,
        ...(afterId === undefined ? {} : { afterId }),
        limit: PAGE,
      }),
    )
    const isCsv = format === 'csv'
    reply.type(isCsv ? 'text/csv; charset=utf-8' : 'application/x-ndjson')
    return reply.send(Readable.from(isCsv ? statementCsv(lines) : statementJsonl(lines)))
  })
  app.get(
    '/statement/page',
    may('ledger:read'),
    async (request): Promise<SortedPage<StatementLine>> => {
      const { as, account: asked, ...query } = pageQuery.parse(request.query)
      const account = accountOf(request, { as, account: asked })
      const args = { ...toPageArgs(query), account }
      return toSortedPage(await store.call('findStatementLines', args))
    },
  )
  app.get('/quota', may('ledger:read'), (request) => {
    const client = whose(request, quotaQuery.parse(request.query).account)
    return store.call('quotaOf', {
      client,
      quota: quotaOf(context.settings.current()),
      now: clock.now(),
    })
  })
  app.get('/leaderboard', may('captures:read'), (request) => {
    const { days, limit } = boardQuery.parse(request.query)
    return store.call('shownLeaders', { since: clock.now() - days * DAY_MS, limit })
  })
  app.get('/leaderboard/days', may('captures:read'), (request) => {
    const { days, limit } = daysQuery.parse(request.query)
    return store.call('contributions', { days, limit, now: clock.now() })
  })
  app.post('/me/board-name', may('ledger:read'), async (request) => {
    const { accountId } = context.access.requireAction(request, 'ledger:read')
    const { name } = boardBody.parse(request.body)
    await store.call('setBoardName', { accountId, name })
    return {}
  })
  app.get('/ledger/check', may('settings:read'), () => store.call('trialBalance', {}))
}
