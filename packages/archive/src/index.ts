export { writableDate } from './writable-time.ts'
export {
  hostRanges,
  parseCdxQuery,
  prefixRange,
  type CdxQuery,
  type CdxRow,
  type KeyRange,
} from './cdx-query.ts'
export { byDistance, chooseRows, writeRows } from './cdx-query-answer.ts'
export {
  cdxjLine,
  cdxjTimestamp,
  endOfTime,
  parseCdxjLine,
  parseTimestamp,
  searchKey,
  type CdxjEntry,
  type ParsedCdxjLine,
} from './cdxj.ts'
export { mergeCdxj, writeCdxjFile, writeSortedLines, type SortOptions } from './cdxj-sort.ts'
export { type DamageCode } from './damage.ts'
export { mayBeEqual, parseDigest, sha256Label, type LabelledDigest } from './digest.ts'
export { BadCdxQuery, ImpossibleExport, ImpossibleRevisit, UnreadableRecord } from './errors.ts'
export {
  recordExchange,
  mediaType,
  warcinfoMember,
  type Effort,
  type Exchange,
  type RecordedExchange,
  type Referred,
  type WarcinfoFacts,
} from './exchange-members.ts'
export { isGzip, looksLikeWarcMember } from './gzip-member.ts'
export { dechunk, parseHttpBlock, type HttpMessage } from './http-block.ts'
export { indexEntry, indexWarc, type IndexOptions } from './index-warc.ts'
export {
  httpDate,
  LINK_FORMAT,
  mementoAddresses,
  mementoLinks,
  parseHttpDate,
  parseMementoTime,
  timeMapJson,
  timeMapLinks,
  type MementoAddresses,
  type MementoPlace,
  type TimeMapForm,
  type TimeMapPage,
} from './memento.ts'
export {
  decodeMember,
  unpackMember,
  recordIdOf,
  referenceOf,
  referTo,
  toRevisit,
  type DecodedMember,
} from './one-member.ts'
export { parseRecordHead, type RecordHead } from './record-head.ts'
export { isTombstone, tombstoneMember, tombstoneRecord, type Tombstone } from './tombstone.ts'
export { verifyRecords, verifyWarc, type Finding, type FindingCode } from './verify.ts'
export { exportWacz, type WaczExport, type WaczPage, type WaczSummary } from './wacz.ts'
export { bareUri, findHeadEnd, type HeaderLines } from './header-lines.ts'
export {
  readRecordAt,
  readRecordWithin,
  readRecords,
  type ReadOptions,
  type WarcDamage,
  type WarcRecord,
} from './warc-reader.ts'
export {
  encodeRecord,
  recordId,
  warcDate,
  type HeaderPair,
  type RecordDraft,
} from './warc-record.ts'
