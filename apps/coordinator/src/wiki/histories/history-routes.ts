/** Histories read as a whole: exported, compared, measured, asked; and dumps taken in. */
import { Readable } from 'node:stream'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '@minga/protocol'
import {
  METRIC_FILTERS,
  coEditors,
  compileFilter,
  countRevisions,
  csvOf,
  editBursts,
  editGaps,
  editInequality,
  editSessions,
  editWars,
  editorSplit,
  editsBy,
  identityReverts,
  jsonlOf,
  readFilter,
  runQuery,
  sizeDeltas,
  tagUse,
  topEditors,
  writeDump,
  writeParquet,
  type Ask,
  type Choice,
  type ExportTable,
  type MetricFilter,
} from '@minga/wiki'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import { may } from '../../accounts/access.ts'
import { NoSuchRevision } from '../errors.ts'
import { compareTexts, followHistory } from '../read/text-worker.ts'
import { findPage, type PageParts } from './find-page.ts'
import { answerTable, measureTable, revisionTable } from './tables.ts'
import type { WikiImports } from './wiki-imports.ts'
import { attributionOf, chosenHistories, type ExportAsked } from './chosen-histories.ts'

type TableForm = 'csv' | 'jsonl' | 'parquet'

const TYPES: Record<TableForm, string> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
}

/** Tables as files to be saved, sent piece by piece whatever their length. */
function sendTable(reply: FastifyReply, table: ExportTable, form: TableForm): FastifyReply {
  return reply.type(TYPES[form]).send(Readable.from(piecesOf(table, form), { objectMode: false }))
}

function piecesOf(table: ExportTable, form: TableForm): AsyncGenerator<Uint8Array> {
  if (form === 'parquet') return parquetOf(table)
  return gathered(form === 'csv' ? csvOf(table) : jsonlOf(table))
}

/** A row is less than it costs to send something. */
const PIECE_CHARS = 64 * 1024

async function* gathered(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let text = ''
  for await (const line of lines) {
    text += line
    if (text.length < PIECE_CHARS) continue
    yield Buffer.from(text)
    text = ''
  }
  if (text !== '') yield Buffer.from(text)
}

/** Its end says where everything is, so the file is whole before its first byte is sent. */
async function* parquetOf(table: ExportTable): AsyncGenerator<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'minga-parquet-'))
  try {
    const file = join(folder, 'table.parquet')
    await writeParquet(table, { file, partsFolder: folder })
    yield* createReadStream(file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

type Measure = (ask: Ask, choice: Choice) => Promise<unknown>

const MEASURES = {
  editors: topEditors,
  split: editorSplit,
  inequality: editInequality,
  hours: (ask, choice) => editsBy(ask, choice, { bucket: 'hour' }),
  weekdays: (ask, choice) => editsBy(ask, choice, { bucket: 'weekday' }),
  months: (ask, choice) => editsBy(ask, choice, { bucket: 'month' }),
  years: (ask, choice) => editsBy(ask, choice, { bucket: 'year' }),
  gaps: editGaps,
  sessions: editSessions,
  sizes: sizeDeltas,
  reverts: identityReverts,
  wars: editWars,
  bursts: editBursts,
  together: coEditors,
  tags: tagUse,
} satisfies Record<string, Measure>

/** The measures of a wiki or of a page, by name. */
const measureName = z.enum(Object.keys(MEASURES) as (keyof typeof MEASURES)[])
type MeasureName = z.infer<typeof measureName>

type MeasureAnswers = {
  [Name in MeasureName]: Awaited<ReturnType<(typeof MEASURES)[Name]>>
}

/** As many as were asked for. */
interface WikiMeasures extends Partial<MeasureAnswers> {
  revisions: number
}

/** The default measures when the caller names none. */
const USUAL: readonly MeasureName[] = ['editors', 'split', 'inequality', 'gaps', 'sizes', 'reverts']

async function measure(
  ask: Ask,
  { filter, only, now }: { filter: MetricFilter; only: readonly MeasureName[]; now: number },
): Promise<WikiMeasures> {
  const { count } = await countRevisions(ask, filter, now)
  const choice = compileFilter(filter, now)
  const measures: Record<string, unknown> = {}
  for (const name of only.length > 0 ? only : USUAL) {
    const read: Measure = MEASURES[name]
    measures[name] = await read(ask, choice)
  }
  return { revisions: count, ...(measures as Partial<MeasureAnswers>) }
}

export interface HistoryRouteParts extends PageParts {
  imports: WikiImports
  clock: Clock
}

const READ = may('captures:read')
const IMPORT = may('archive:import')

const ofWiki = z.object({ wiki: z.string().min(1).max(2_000) })
const time = z.coerce.number().int().optional()
const exportQuery = z.object({
  /** Titles, joined by a bar, as wikis themselves do it. */
  pages: z.string().optional(),
  from: time,
  until: time,
  current: z.stringbool().default(false),
  as: z.enum(['xml', 'csv', 'jsonl', 'parquet']).default('xml'),
})
const resultForm = z.object({ as: z.enum(['json', 'csv']).default('json') })
/** What each may be is judged by `readFilter`, which names it in its refusal. */
const filterTexts = Object.fromEntries(
  METRIC_FILTERS.map((name) => [name, z.string().optional()]),
) as Record<keyof MetricFilter, z.ZodOptional<z.ZodString>>
const metricsQuery = z.object({
  ...filterTexts,
  /** Names of measures, joined by commas. */
  only: z.string().optional(),
  ...resultForm.shape,
})
/** Under the name by which they came, so that a refusal says it. */
const onlyNames = z.object({ only: z.array(measureName) })
const diffQuery = z.object({
  before: z.coerce.number().int(),
  after: z.coerce.number().int(),
  slot: z.string().max(255).default('main'),
})
const authorsQuery = z.object({ title: z.string().min(1), tokens: z.stringbool().default(false) })
const importBody = z.object({
  file: z.string().min(1),
  wiki: z.string().min(1).max(255).nullable().default(null),
  roundBytes: z.number().int().positive().nullable().default(null),
})
const ofImport = z.object({ id: z.coerce.number().int() })

export function historyRoutes(app: FastifyInstance, parts: HistoryRouteParts): void {
  exportRoute(app, parts)
  textRoutes(app, parts)
  measureRoutes(app, parts)
  importRoutes(app, parts)
}

function exportRoute(app: FastifyInstance, parts: HistoryRouteParts): void {
  app.get('/wikis/:wiki/export', READ, async (request, reply) => {
    const { wiki } = ofWiki.parse(request.params)
    const { pages, from, until, current, as } = exportQuery.parse(request.query)
    const asked = {
      titles: pages === undefined ? null : titlesIn(pages),
      ...(from === undefined ? {} : { from }),
      ...(until === undefined ? {} : { until }),
      isCurrent: current,
      now: parts.clock.now(),
    }
    if (as !== 'xml') return sendTable(reply, await revisionTable(parts, wiki, asked), as)
    const pieces = await exportXml(parts, wiki, asked)
    return reply.type('application/xml').send(Readable.from(pieces))
  })
}

function titlesIn(text: string): string[] {
  return text
    .split('|')
    .map((title) => title.trim())
    .filter((title) => title !== '')
}

function textRoutes(app: FastifyInstance, parts: HistoryRouteParts): void {
  const { revisions } = parts
  app.get('/wikis/:wiki/diff', READ, async (request) => {
    const { wiki } = ofWiki.parse(request.params)
    const { before, after, slot } = diffQuery.parse(request.query)
    const textOf = async (revId: number): Promise<string> => {
      const text = await revisions.text(wiki, revId, slot)
      if (text === null) throw new NoSuchRevision(wiki, revId)
      return Buffer.from(text).toString('utf8')
    }
    return { before, after, ...(await compareTexts(await textOf(before), await textOf(after))) }
  })
  app.get('/wikis/:wiki/authors', READ, async (request) => {
    const { wiki } = ofWiki.parse(request.params)
    const { title, tokens } = authorsQuery.parse(request.query)
    const { page } = await findPage(parts, wiki, title)
    const { pageId } = page
    const rows = revisions.history(wiki, { pageId }, { withText: true, onLost: () => {} })
    const history = await followHistory(rows)
    const shown = { title: page.title, pageid: pageId, editors: history.editors }
    return tokens ? { ...shown, tokens: history.tokens } : shown
  })
}

function measureRoutes(app: FastifyInstance, { revisions, clock }: HistoryRouteParts): void {
  app.get('/wikis/:wiki/metrics', READ, async (request, reply) => {
    const { key, site } = await revisions.wiki(ofWiki.parse(request.params).wiki)
    const { as, only, ...given } = metricsQuery.parse(request.query)
    const names = onlyNames.parse({ only: only?.split(',') ?? [] }).only
    const now = clock.now()
    const asked = { filter: readFilter(given), only: names, now }
    const measures = await measure(revisions.ask([key]), asked)
    if (as === 'json') return { wiki: key, ...measures }
    const table = measureTable(site, now, { measures: { ...measures }, title: given.title ?? null })
    return sendTable(reply, table, as)
  })
  app.post('/wikis/:wiki/query', READ, async (request, reply) => {
    const { key, site } = await revisions.wiki(ofWiki.parse(request.params).wiki)
    const { as } = resultForm.parse(request.query)
    const answer = await runQuery(revisions.ask([key]), request.body)
    if (as === 'json') return answer
    void reply.header('x-more-rows', String(answer.isCut))
    return sendTable(reply, answerTable(site, clock.now(), answer), as)
  })
}

function importRoutes(app: FastifyInstance, { imports }: HistoryRouteParts): void {
  app.post('/wikis/imports', IMPORT, (request, reply) => {
    void reply.status(202)
    return imports.start(importBody.parse(request.body))
  })
  app.get('/wikis/imports', IMPORT, () => ({ imports: imports.list() }))
  app.get('/wikis/imports/:id', READ, (request) => imports.view(ofImport.parse(request.params).id))
}

/** Histories as the export XML of MediaWiki. Fails before its first piece when the wiki or a page is not here. */
async function exportXml(
  parts: PageParts,
  wiki: string,
  asked: ExportAsked & { now: number },
): Promise<AsyncGenerator<Uint8Array>> {
  const { key, site } = await parts.revisions.wiki(wiki)
  const pages = await chosenHistories(parts, { key, asked, withText: true })
  return writeDump({ site, pages, attribution: attributionOf(site, asked.now) })
}
