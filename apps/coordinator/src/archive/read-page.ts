/** A fetched page as it is read for what it says: from the bytes of its record, or from the archive
 * where the record only says that nothing is new. */
import { parseHttpBlock, unpackMember } from '@minga/archive'
import type { PageBody } from '@minga/forecast'
import { unpackWhole } from '@minga/net'
import { isMingaError, type CapturedResult } from '@minga/protocol'
import { readArchived } from './captures/capture-content.ts'
import type { Station } from '../station/station.ts'

export interface ReadPage extends PageBody {
  /** As the server said. */
  contentLanguage: string | null
}

/** As much as a page may unpack to before it is cut: what follows hardly says what changed. */
const BODY = { bytesMax: 32 * 1024 * 1024, ratioMax: 2_000 }
const RECORD_BYTES_MAX = 80 * 1024 * 1024

/** Null when it holds no page. */
export async function pageOf(
  station: Pick<Station, 'store' | 'data'>,
  { result, member }: { result: CapturedResult; member: Uint8Array },
): Promise<ReadPage | null> {
  if (result.record === 'revisit') return archivedPage(station, result.url, null)
  const record = await unpackMember(Buffer.from(member), RECORD_BYTES_MAX)
  const http = parseHttpBlock(record.block)
  if (!http) return null
  const encoding = http.headers.all('content-encoding').join(',') || undefined
  const { bytes, problem } = await unpackWhole(http.body, encoding, BODY)
  const isTruncated = record.headers.get('WARC-Truncated') !== undefined || problem !== null
  return {
    url: result.url,
    mime: result.mime,
    status: result.status,
    body: bytes,
    charset: charsetOf(http.headers.get('content-type')),
    contentLanguage: http.headers.get('content-language') ?? null,
    isTruncated,
  }
}

function charsetOf(contentType: string | undefined): string | null {
  return /charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '')?.[1] ?? null
}

/** What the archive holds of a URL up to an instant; null when it cannot be read. */
export async function archivedPage(
  station: Pick<Station, 'store' | 'data'>,
  url: string,
  at: number | null,
): Promise<ReadPage | null> {
  try {
    const { body, headers, mime, isTruncated } = await readArchived(
      station,
      { url, at },
      BODY.bytesMax,
    )
    const header = (wanted: string): string | undefined =>
      headers.find(([name]) => name.toLowerCase() === wanted)?.[1]
    const charset = charsetOf(header('content-type'))
    const contentLanguage = header('content-language') ?? null
    return { url, mime, status: 200, body, charset, contentLanguage, isTruncated }
  } catch (error) {
    if (isMingaError(error)) return null
    throw error
  }
}
