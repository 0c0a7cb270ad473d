/** What an archive says when it does not have an address: what it has instead, and how to get it. */
import type { ArchivedUrl, CaptureRow, NotArchivedView } from '@minga/protocol'
import type { FastifyReply } from 'fastify'
import { spellings } from '../captures/capture-content.ts'
import { NoSuchCapture } from '../errors.ts'
import { requireShown } from '../takedown/require-shown.ts'
import type { ArchiveContext } from '../archive-context.ts'

type IndexedArchive = Pick<ArchiveContext, 'store' | 'urlIndex'>

/** Neighbours on the same host that are worth showing. */
const NEIGHBOURS = 5

async function notArchived(
  { store, urlIndex }: IndexedArchive,
  asked: { url: string; at: number | null },
): Promise<NotArchivedView> {
  const { url, at } = asked
  const variants: CaptureRow[] = []
  for (const other of new Set(spellings(url))) {
    const found = await store.call('findMemento', { url: other, at })
    if (found) variants.push(found.capture)
  }
  const { host } = new URL(url)
  const sameHost = await urlIndex.search({ text: host, by: 'host', limit: NEIGHBOURS, after: null })
  const error = new NoSuchCapture(url, hintOf(variants, sameHost.urls))
  return {
    error: { code: error.code, message: error.message },
    url,
    variants,
    sameHost: sameHost.urls,
    collect: { method: 'POST', path: '/api/collections', body: { seeds: [url], scope: 'page' } },
  }
}

function hintOf(variants: readonly CaptureRow[], sameHost: readonly ArchivedUrl[]): string {
  const other = variants[0]?.url ?? sameHost[0]?.url
  const instead = other === undefined ? '' : `; it has ${other}`
  return `collect it now with POST /api/collections${instead}`
}

export async function sendNotArchived(
  reply: FastifyReply,
  archive: IndexedArchive,
  asked: { url: string; at: number | null },
): Promise<FastifyReply> {
  await requireShown(archive.store, { ...asked, found: null })
  return reply.status(404).send(await notArchived(archive, asked))
}
