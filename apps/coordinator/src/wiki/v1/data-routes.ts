/** What is kept of wikis: articles, revisions, and what they add up to. */
import { metricFilterSchema, MODE_ATTRIBUTES, type Field, type QueryAnswer } from '@minga/wiki'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { WikiContext } from '../wiki-service.ts'
import { hiddenWikis } from '../seen-wikis.ts'
import { BadWikiListing, NoSuchArticle } from '../errors.ts'
import { formOf, isKnown, plainRow, sendTable, tagOf, type Table } from './answers.ts'
import {
  ARTICLES,
  REVISIONS,
  chosenWikis,
  fieldNames,
  realName,
  type ChosenWiki,
  type ListTable,
} from './fields.ts'
import { formatQuery, listQuery, revisionsQuery } from './list-query.ts'
import { listArticles, listRevisions, type ListPart } from './lists.ts'
import type { MetricQuestion } from './metrics.ts'
import { accepted } from './task-routes.ts'
import { paramOf, type V1Call, type V1Route } from './v1-route.ts'

const background = z
  .stringbool()
  .optional()
  .describe('true: 202 at once, and the answer as the result of a task.')
const metricQuery = metricFilterSchema.extend({ background })
const modeQuery = metricQuery.extend({
  attribute: z.enum(MODE_ATTRIBUTES).describe('Whose most frequent values are wanted.'),
})
const queryQuery = formatQuery.extend({
  wiki: metricFilterSchema.shape.wiki,
  locale: metricFilterSchema.shape.locale,
  background,
})
const articleQuery = formatQuery.extend({
  wiki: metricFilterSchema.shape.wiki,
  locale: metricFilterSchema.shape.locale,
  project: z.string().max(2_000).optional().describe('Fields to be shown.'),
})
const ofPage = z.object({ pageid: z.string().describe('Number of the page.') })

/** How a field of a kind is answered. */
const ANSWERED: Record<Field['kind'], z.ZodType> = {
  number: z.number().nullable(),
  text: z.string().nullable(),
  time: z.iso.datetime().nullable(),
  flag: z.boolean(),
  list: z.array(z.string()),
  digest: z.string().nullable(),
}

function answerOf({ fields, derived }: ListTable) {
  const known = Object.entries(fields).map(([name, { kind }]) => [name, ANSWERED[kind]])
  const shown = derived.map((name) => [name, ANSWERED.text])
  return z.object(Object.fromEntries([...known, ...shown])).partial()
}

const articleAnswer = answerOf(ARTICLES)
const revisionAnswer = answerOf(REVISIONS)
const countAnswer = z.object({ count: z.number() })
const averageAnswer = z.object({
  avg: z.number().describe('Revisions per day.'),
  count: z.number(),
  days: z.number().describe('Both ends included.'),
})
const modeAnswer = z
  .object({
    attribute: z.enum(MODE_ATTRIBUTES),
    count: z.number().describe('How many revisions have each of the values.'),
    without: z.number().describe('Revisions that do not say.'),
  })
  .catchall(z.array(z.union([z.string(), z.number()])))
  .describe('Under the name of the attribute: all values that are equally frequent.')
const queryAnswer = z.object({
  columns: z.array(z.string()),
  rows: z.array(z.record(z.string(), z.unknown())),
  isCut: z.boolean().describe('There were more rows.'),
})
const totals = z.object({ editors: z.number(), edits: z.number() })
const countriesAnswer = z.object({
  countries: z.array(totals.extend({ country: z.string() })),
  others: totals.nullable(),
  atLeast: z.number().describe('Smaller groups are not shown.'),
})

export function dataRoutes(context: WikiContext): V1Route[] {
  return [...articleRoutes(context), ...metricRoutes(context)]
}

const READ = { action: 'captures:read', status: 200 } as const

function articleRoutes(context: WikiContext): V1Route[] {
  return [
    {
      ...READ,
      method: 'GET',
      path: '/articles',
      summary: 'Pages with first and last extraction and last revision.',
      query: listQuery(ARTICLES),
      answer: z.array(articleAnswer),
      isTable: true,
      run: (call) =>
        unlessKnown(context, call, async (wikis) =>
          sendPart(call, ARTICLES, await listArticles(context, wikis, call.given)),
        ),
    },
    {
      ...READ,
      method: 'GET',
      path: '/articles/:pageid',
      summary: 'One page.',
      query: articleQuery,
      params: ofPage,
      answer: articleAnswer,
      run: (call) => unlessKnown(context, call, (wikis) => sendArticle(context, call, wikis)),
    },
    {
      ...READ,
      method: 'GET',
      path: '/revisions',
      summary: 'Revisions with their texts, by default newest first.',
      query: revisionsQuery,
      answer: z.array(revisionAnswer),
      isTable: true,
      run: (call) =>
        unlessKnown(context, call, async (wikis) =>
          sendPart(call, REVISIONS, await listRevisions(context, wikis, call.given)),
        ),
    },
  ]
}

/** Nothing is read for a caller that has the answer already. */
async function unlessKnown(
  { access, revisions }: WikiContext,
  call: V1Call,
  answer: (chosen: ChosenWiki[]) => Promise<unknown>,
): Promise<unknown> {
  const { request, reply, given } = call
  const hidden = await hiddenWikis(access, request)
  const chosen = await chosenWikis(revisions, given, hidden)
  const asked = [request.url, formOf(request, given['format'])]
  const tag = await tagOf(revisions, chosen, asked)
  void reply.headers({ etag: tag, 'cache-control': 'private, no-cache', vary: 'Accept' })
  if (isKnown(request, tag)) return reply.status(304).send()
  try {
    return await answer(chosen)
  } catch (error) {
    // What went wrong is no answer to be kept.
    reply.removeHeader('etag')
    throw error
  }
}

function sendPart(call: V1Call, table: ListTable, part: ListPart): unknown {
  const { request, reply, given } = call
  if (part.cursor !== null) {
    const next = new URL(request.url, 'http://station')
    for (const name of ['page', 'sort']) next.searchParams.delete(name)
    next.searchParams.set('cursor', part.cursor)
    void reply.header('link', `<${next.pathname}${next.search}>; rel="next"`)
    void reply.header('x-next-cursor', part.cursor)
  }
  if (part.damaged.length > 0) void reply.header('x-damaged-texts', part.damaged.join(', '))
  return sendTable(reply, formOf(request, given['format']), tableOf(table, part))
}

const COLUMN_KINDS: Record<Field['kind'], Table['columns'][number]['kind']> = {
  number: 'integer',
  text: 'text',
  time: 'time',
  flag: 'flag',
  list: 'list',
  digest: 'text',
}

/** A field is called as it was asked for. */
function tableOf({ fields }: ListTable, { shown, rows }: ListPart): Table {
  const columns = shown.map((name) => {
    return { name, kind: COLUMN_KINDS[fields[realName(name)]?.kind ?? 'text'] }
  })
  return {
    columns,
    rows: rows.map((row) => Object.fromEntries(shown.map((name) => [name, row[realName(name)]]))),
  }
}

async function sendArticle(
  context: WikiContext,
  call: V1Call,
  wikis: readonly ChosenWiki[],
): Promise<unknown> {
  const pageId = paramOf(call, 'pageid')
  if (!/^\d{1,15}$/.test(pageId)) throw new NoSuchArticle(pageId)
  const { project = fieldNames(ARTICLES).join(',') } = articleQuery.parse(call.given)
  const given = { pageid: pageId, project }
  const part = await listArticles(context, wikis, given)
  const [, another] = part.rows
  if (another !== undefined) {
    throw BadWikiListing.severalPages(
      Number(pageId),
      part.rows.map(({ wiki }) => String(wiki)),
    )
  }
  const { columns, rows } = tableOf(ARTICLES, part)
  if (rows.length === 0) throw new NoSuchArticle(pageId)
  const form = formOf(call.request, call.given['format'])
  return sendTable(call.reply, form, { columns, rows }, plainRow(columns, rows[0]!))
}

function metricRoutes(context: WikiContext): V1Route[] {
  const route = (
    metric: MetricQuestion['metric'],
    described: Pick<V1Route, 'summary' | 'query' | 'answer'>,
  ): V1Route => ({
    ...READ,
    ...described,
    method: 'GET',
    path: `/${metric}`,
    canWait: true,
    run: (call) => answerMetric(context, call, { metric, given: call.given }),
  })
  return [
    route('count', {
      summary: 'How many revisions the filters choose.',
      query: metricQuery,
      answer: countAnswer,
    }),
    route('avg', {
      summary: 'Revisions per day from datestart to dateend.',
      query: metricQuery,
      answer: averageAnswer,
    }),
    route('mode', {
      summary: 'The most frequent values of an attribute.',
      query: modeQuery,
      answer: modeAnswer,
    }),
    route('countries', {
      summary: 'Countries of anonymous editors, as totals; needs a GeoIP file.',
      query: metricQuery,
      answer: countriesAnswer,
    }),
    {
      ...READ,
      method: 'POST',
      path: '/query',
      summary: 'A question of your own: match, by, measure, having, sort, limit, project.',
      query: queryQuery,
      body: z.record(z.string(), z.unknown()),
      answer: queryAnswer,
      isTable: true,
      canWait: true,
      run: (call) => sendQuery(context, call),
    },
  ]
}

async function answerMetric(
  context: WikiContext,
  call: V1Call,
  asked: Omit<MetricQuestion, 'hidden'>,
): Promise<unknown> {
  const question = { ...asked, hidden: await hiddenWikis(context.access, call.request) }
  if (!isPatient(call)) {
    return unlessKnown(context, call, () => context.wikis.metrics.answer(question))
  }
  return putInBackground(context, call, question)
}

/** The answer is wanted later. */
function isPatient({ request, given }: V1Call): boolean {
  const { background: asked } = z.object({ background }).parse(given)
  return asked ?? prefersLater(request)
}

function prefersLater({ headers }: FastifyRequest): boolean {
  return /\brespond-async\b/.test(String(headers['prefer'] ?? ''))
}

async function putInBackground(
  context: WikiContext,
  call: V1Call,
  { given, ...question }: MetricQuestion,
): Promise<object> {
  const { background: _, ...filters } = given
  // A task is stored, so it needs an account, even where reading is open to everyone.
  const { accountId } = context.access.requireAction(call.request, 'captures:read')
  const id = await context.wikis.metrics.open({ ...question, given: filters }, accountId)
  if (prefersLater(call.request)) void call.reply.header('preference-applied', 'respond-async')
  return accepted(context, call, id)
}

async function sendQuery(context: WikiContext, call: V1Call): Promise<unknown> {
  const { request, reply, given } = call
  queryQuery.parse(given)
  const hidden = await hiddenWikis(context.access, request)
  const question: MetricQuestion = { metric: 'query', given, body: request.body, hidden }
  if (isPatient(call)) return putInBackground(context, call, question)
  const answer = (await context.wikis.metrics.answer(question)) as QueryAnswer
  const columns = answer.columns.map((name) => ({ name, kind: 'text' as const }))
  return sendTable(reply, formOf(request, given['format']), { columns, rows: answer.rows }, answer)
}
