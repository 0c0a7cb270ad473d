/**
 * A small hand-made history, whose questions have known answers: those of a reference
 * implementation's tests (English Wikipedia, "Dungeon Siege"), with the traps around them. Days are
 * full to their last second and empty a second later, two editors share the first place of a day,
 * editors are hidden, anonymous or write in other scripts, and one revision came late, by an
 * import, with a high number.
 */

import { createHash } from 'node:crypto'
import type { EditorKind, Page, Revision, SiteInfo } from '@minga/wiki'

import { corpusSite } from './history-corpus.ts'

export interface OracleHistory {
  site: SiteInfo
  page: Page
  /** Oldest first. */
  revisions: Revision[]
}

/** The required answers of every implementation. Days are in UTC, `date` is a whole day. */
export const ORACLE = {
  pageId: 630_354,
  countOn: { date: '2004-06-22', count: 10 },
  average: { user: 'Jahaza', datestart: '2004-05-01', dateend: '2004-05-10', count: 2, avg: 0.2 },
  modeUser: { date: '2018-02-19', users: ['Lordtobi'], count: 3 },
  /** Two are first: both are the answer. */
  tiedUsers: { date: '2010-05-05', users: ['Ελένη', 'Žluťoučký'], count: 2 },
  /** Hidden editors are not counted: they neither win nor crash. */
  hiddenUser: { date: '2006-08-01', users: ['Guy M'], count: 1, revisions: 3 },
  firstOf: { user: 'PresN', revId: 115_476_135, count: 3 },
  /** Newest first. */
  pageTwo: { pageSize: 5, firstRevId: 767_697_090 },
  anonymous: { user: '192.0.2.44', count: 2 },
  tagged: { tag: 'mobile edit', count: 2 },
  total: 35,
} as const

interface Row {
  revId: number
  at: string
  user: string | null
  comment: string | null
  isMinor?: boolean
  tags?: string[]
}

const ROWS: Row[] = [
  { revId: 3_215_001, at: '2004-04-30T23:59:59Z', user: 'Jahaza', comment: 'a stub' },
  { revId: 3_220_100, at: '2004-05-01T00:00:00Z', user: 'Jahaza', comment: 'first day' },
  { revId: 3_355_210, at: '2004-05-04T12:00:00Z', user: '192.0.2.44', comment: '' },
  { revId: 3_481_000, at: '2004-05-10T23:59:59Z', user: 'Jahaza', comment: 'last second' },
  { revId: 3_481_001, at: '2004-05-11T00:00:00Z', user: 'Jahaza', comment: 'one too late' },
  { revId: 4_240_017, at: '2004-06-21T23:59:59Z', user: 'K1Bond007', comment: 'the day before' },
  ...busyDay(),
  { revId: 4_262_500, at: '2004-06-23T00:00:00Z', user: 'K1Bond007', comment: 'the day after' },
  // Came by an import, years later: its number is high, its time is not.
  { revId: 640_000_001, at: '2005-01-15T08:30:00Z', user: 'de>Benutzer', comment: 'importiert' },
  { revId: 67_000_001, at: '2006-08-01T09:00:00Z', user: null, comment: 'was here' },
  { revId: 67_000_050, at: '2006-08-01T09:10:00Z', user: null, comment: null },
  { revId: 67_000_099, at: '2006-08-01T09:20:00Z', user: 'Guy M', comment: 'rv', isMinor: true },
  { revId: 115_476_135, at: '2007-03-16T03:04:05Z', user: 'PresN', comment: 'clean up' },
  { revId: 120_000_000, at: '2007-04-03T00:00:00Z', user: 'PresN', comment: '', isMinor: true },
  { revId: 360_000_001, at: '2010-05-05T00:00:00Z', user: 'Žluťoučký', comment: 'příliš' },
  { revId: 360_000_300, at: '2010-05-05T10:00:00Z', user: 'Ελένη', comment: 'διόρθωση' },
  { revId: 360_000_500, at: '2010-05-05T11:00:00Z', user: 'Žluťoučký', comment: 'kůň' },
  { revId: 360_000_700, at: '2010-05-05T23:59:59Z', user: 'Ελένη', comment: '日本語 🏰' },
  { revId: 360_000_900, at: '2010-05-05T12:00:00Z', user: '2001:DB8:0:0:0:0:0:1', comment: '' },
  { revId: 700_000_700, at: '2016-01-15T10:00:00Z', user: 'PresN', comment: 'archive links' },
  { revId: 767_697_090, at: '2017-02-27T14:51:00Z', user: 'Czar', comment: 'infobox' },
  { revId: 826_500_001, at: '2018-02-19T00:00:00Z', user: 'Lordtobi', comment: 'fix' },
  {
    revId: 826_500_200,
    at: '2018-02-19T09:00:00Z',
    user: '192.0.2.44',
    comment: '',
    tags: ['mobile edit'],
  },
  {
    revId: 826_500_300,
    at: '2018-02-19T09:05:00Z',
    user: 'Lordtobi',
    comment: 'rv',
    tags: ['undo'],
  },
  {
    revId: 826_500_400,
    at: '2018-02-19T20:00:00Z',
    user: 'Czar',
    comment: 'ce',
    tags: ['mobile edit'],
  },
  { revId: 826_500_500, at: '2018-02-19T23:59:59Z', user: 'Lordtobi', comment: 'last second' },
]

/** Ten revisions, from the first second of the day to its last. */
function busyDay(): Row[] {
  const times = ['00:00:00', '01:10:00', '01:10:00', '02:00:00', '08:15:30', '12:00:00']
  times.push('12:00:01', '18:45:00', '23:59:58', '23:59:59')
  const users = ['K1Bond007', 'Mrwojo', 'K1Bond007', 'Jahaza', 'K1Bond007']
  return times.map((time, index) => ({
    revId: 4_250_000 + index * 7,
    at: `2004-06-22T${time}Z`,
    user: users[index % users.length] ?? '',
    comment: `step ${index + 1}`,
    isMinor: index % 4 === 3,
  }))
}

export function oracleHistory(): OracleHistory {
  const page: Page = { pageId: ORACLE.pageId, ns: 0, title: 'Dungeon Siege', redirect: null }
  const inTime = ROWS.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at) || a.revId - b.revId)
  const revisions = inTime.map((row, index) =>
    revisionOf(row, { parentId: inTime[index - 1]?.revId ?? 0, text: textOf(index, row) }),
  )
  return { site: corpusSite(), page, revisions }
}

/** Grows with every edit, but for the two that put back what was there two edits before. */
function textOf(index: number, { comment }: Row): string {
  const length = comment === 'rv' ? index - 1 : index + 1
  const lines = Array.from(
    { length },
    (_, line) => `Line ${line}: ''Dungeon Siege'' № ${line * 17}.`,
  )
  return lines.join('\n')
}

function revisionOf(row: Row, { parentId, text }: { parentId: number; text: string }): Revision {
  const bytes = Buffer.from(text, 'utf8')
  const sha1 = createHash('sha1').update(bytes).digest('hex')
  const size = bytes.length
  const main = { role: 'main', model: 'wikitext', format: 'text/x-wiki', size, sha1, text: bytes }
  const { user, comment } = row
  return {
    pageId: ORACLE.pageId,
    revId: row.revId,
    parentId,
    at: Date.parse(row.at),
    user,
    userId: user === null ? null : userIdOf(user),
    editor: editorOf(user),
    isMinor: row.isMinor ?? false,
    size,
    sha1,
    comment,
    parsedComment: comment,
    tags: row.tags ?? [],
    hidden: [
      ...(user === null ? (['user'] as const) : []),
      ...(comment === null ? (['comment'] as const) : []),
    ],
    isSuppressed: false,
    slots: [main],
  }
}

function editorOf(user: string | null): EditorKind {
  if (user === null) return 'unknown'
  if (user.includes('>')) return 'imported'
  return isAddress(user) ? 'anonymous' : 'registered'
}

function isAddress(user: string): boolean {
  return /^[\d.]+$/.test(user) || /^[\dA-F:]+$/.test(user)
}

/** Any number that is the editor's own. */
function userIdOf(user: string): number {
  if (isAddress(user) || user.includes('>')) return 0
  return createHash('sha1').update(user).digest().readUInt32BE(0) % 1_000_000
}
