/** Articles and revisions as lists, part by part. */
import { isMingaError } from '@minga/protocol'
import {
  compileFilter,
  pageUrlOf,
  readFilter,
  type AskRow,
  type Choice,
  type Revisions,
} from '@minga/wiki'
import { BadWikiListing } from '../errors.ts'
import type { ChosenWiki } from './chosen-wikis.ts'
import { writeCursor, type CursorValue } from './cursor.ts'
import { ARTICLES, realName, REVISIONS, type ListTable } from './fields.ts'
import { readList, type ListAsked } from './list-query.ts'
import { countStatement, listStatement, sortColumn, TEXT_BYTES } from './list-statement.ts'
import type { Station } from '../../station/station.ts'

type ListStation = Pick<Station, 'revisions' | 'clock'>

/** Rows as they are read: times in ms. */
export interface ListPart {
  shown: string[]
  rows: AskRow[]
  /** Where the list continues; null at its end. */
  cursor: string | null
  /** Revisions whose text is kept but could not be read. */
  damaged: number[]
}

/** All texts of an answer together: more than most pages have in 200 revisions, and little for a server. */
const TEXT_BYTES_MAX = 64_000_000
const MEGABYTE = 1_000_000

type Given = Readonly<Record<string, unknown>>

export async function listArticles(
  station: ListStation,
  wikis: readonly ChosenWiki[],
  given: Given,
): Promise<ListPart> {
  const asked = readList(ARTICLES, given)
  return listPart(station, { table: ARTICLES, wikis, choice: EVERYTHING }, asked)
}

export async function listRevisions(
  station: ListStation,
  wikis: readonly ChosenWiki[],
  given: Given,
): Promise<ListPart> {
  const choice = compileFilter(readFilter(given), station.clock.now())
  const asked = readList(REVISIONS, given)
  const part = await listPart(station, { table: REVISIONS, wikis, choice }, asked)
  if (!asked.shown.map(realName).includes('text')) return part
  return withTexts(station.revisions, part)
}

const EVERYTHING: Choice = { where: '', values: [] }

export interface ListSource {
  table: ListTable
  wikis: readonly ChosenWiki[]
  choice: Choice
}

export async function listPart(
  { revisions }: Pick<Station, 'revisions'>,
  source: ListSource,
  asked: ListAsked,
): Promise<ListPart> {
  const { wikis } = source
  const { text, values } = listStatement(source, asked)
  const keys = wikis.map(({ key }) => key)
  const found = keys.length === 0 ? [] : await revisions.ask(keys)(text, values)
  const rows = found.slice(0, asked.limit).map((row) => withAttribution(row, wikis))
  const last = found.length > asked.limit ? rows.at(-1) : undefined
  return { shown: asked.shown, rows, cursor: last ? cursorOf(last, asked) : null, damaged: [] }
}

/** Rows of all parts together. */
export async function countRows(
  { revisions }: Pick<Station, 'revisions'>,
  source: ListSource,
  asked: Pick<ListAsked, 'wanted'>,
): Promise<number> {
  const { text, values } = countStatement(source, asked)
  const [row] = await revisions.ask(source.wikis.map(({ key }) => key))(text, values)
  return Number(row?.['n'])
}

function cursorOf(row: AskRow, { sort }: ListAsked): string {
  const written = sort.map(({ name, isFalling }) => (isFalling ? `-${name}` : name)).join(',')
  return writeCursor(
    written,
    sort.map((_, index) => row[sortColumn(index)] as CursorValue),
  )
}

function withAttribution(row: AskRow, wikis: readonly ChosenWiki[]): AskRow {
  const { site } = wikis.find(({ key }) => key === row['wiki']) ?? {}
  const { title } = row
  if (site === undefined) return row
  return {
    ...row,
    page_url: typeof title === 'string' ? pageUrlOf(site, title) : null,
    licence: site.rights.url ?? site.rights.text,
  }
}

async function withTexts(revisions: Revisions, part: ListPart): Promise<ListPart> {
  const bytes = part.rows.reduce((sum, row) => sum + Number(row[TEXT_BYTES] ?? 0), 0)
  if (bytes > TEXT_BYTES_MAX) throw BadWikiListing.texts(TEXT_BYTES_MAX / MEGABYTE)
  const rows: AskRow[] = []
  const damaged: number[] = []
  for (const row of part.rows) {
    const revId = Number(row['revid'])
    try {
      const text = await revisions.text(String(row['wiki']), revId)
      rows.push({ ...row, text: text === null ? null : Buffer.from(text).toString() })
    } catch (error) {
      if (!isMingaError(error) || error.code !== 'MINGA_DAMAGED_PACK') throw error
      damaged.push(revId)
      rows.push({ ...row, text: null })
    }
  }
  return { ...part, rows, damaged }
}
