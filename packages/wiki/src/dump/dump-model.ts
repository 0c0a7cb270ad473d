/** What a dump of a wiki tells, item by item, in the order of the file. */
import type { Page, Revision, SiteInfo } from '../model.ts'

export type DumpItem =
  | { type: 'site'; site: SiteInfo; version: DumpVersion }
  | { type: 'page'; page: Page }
  | { type: 'revision'; revision: Revision }
  | DumpPageEnd
  | { type: 'log'; log: DumpLogItem }
  | { type: 'upload'; pageId: number | null }
  | { type: 'trouble'; trouble: DumpTrouble }

/** All of a page was read that could be. */
export interface DumpPageEnd {
  type: 'pageEnd'
  /** Null for a page without a usable id: none of its revisions was handed over. */
  pageId: number | null
  /** Revisions handed over for it. */
  revisions: number
  /** False when something of it was damaged, cut off, or left out. */
  isWhole: boolean
  /** Reading can go on here: first byte and line behind the page, in the XML. */
  end: { byte: number; line: number }
}

/** Version of the export format, `0.11` → 11. */
export type DumpVersion = number

/** An entry of the wiki's log, from a dump of logs. */
export interface DumpLogItem {
  logId: number
  at: number
  /** Null when hidden. */
  user: string | null
  userId: number | null
  /** Null when hidden. */
  comment: string | null
  /** For example `delete`, `move`. */
  kind: string
  action: string
  /** Null when hidden. */
  title: string | null
  /** As the wiki wrote it, often PHP's serialised form. */
  params: string | null
}

export type DumpTroubleCode =
  | 'bad-number'
  | 'bad-reference'
  | 'bad-sha1'
  | 'bad-timestamp'
  | 'damaged-item'
  | 'duplicate-field'
  | 'duplicate-page'
  | 'duplicate-revision'
  | 'invalid-utf8'
  | 'malformed'
  | 'missing-field'
  | 'missing-id'
  | 'too-large'
  | 'truncated'
  | 'unknown-element'
  | 'unknown-version'

/** Something in the dump that is not as it should be; reading continues behind it. */
export interface DumpTrouble {
  code: DumpTroubleCode
  /** Where, in the XML; lines count from 1, bytes from 0. */
  line: number
  byte: number
  pageId: number | null
  revId: number | null
  message: string
}
