/**
 * The histories of a folder that no station serves: the same routes as a station's, answered in
 * this process. No coordinator is started; the store's lock keeps everyone else away in the
 * meantime.
 */
import Fastify, { type FastifyInstance } from 'fastify'
import { isMingaError, systemClock } from '@minga/protocol'
import { openStore } from '@minga/store'
import { openRevisions, type WikiOperations } from '@minga/wiki'
import type { ZodError } from 'zod'
import { formSentence } from '../../http/html.ts'
import { wikiReadRoutes } from '../wiki-routes.ts'
import { historyRoutes } from './history-routes.ts'
import { WikiImports } from './wiki-imports.ts'

export interface WikiFolderOptions {
  data: string
  postgresUrl?: string
  /** Something will be written: files are put in order at the end. */
  isWriting?: boolean
}

export interface WikiFolder {
  app: FastifyInstance
  close: () => Promise<void>
}

export async function openWikiFolder(options: WikiFolderOptions): Promise<WikiFolder> {
  const { data, postgresUrl, isWriting = false } = options
  const store = await openStore<WikiOperations>({
    data,
    operations: new URL('./folder-operations.ts', import.meta.url).href,
    writer: 'main',
    ...(postgresUrl ? { postgresUrl } : {}),
  })
  const revisions = openRevisions({ data, store, clock: systemClock })
  const open = async (): Promise<void> => {
    // What a killed import left half written: no other process has the folder open.
    await revisions.tidy({ isOpening: true })
  }
  const imports = new WikiImports({ revisions, store, clock: systemClock, open })
  const app = Fastify()
  app.setErrorHandler((error, _request, reply) => {
    void reply.status(400).send({ error: reportOf(error) })
  })
  await app.register(
    async (api) => {
      const parts = { revisions, store, imports, clock: systemClock }
      wikiReadRoutes(api, parts)
      historyRoutes(api, parts)
    },
    { prefix: '/api' },
  )
  const close = async (): Promise<void> => {
    await imports.close()
    await app.close()
    if (isWriting) await revisions.compact()
    await revisions.close()
    await store.close()
  }
  return { app, close }
}

function reportOf(error: unknown): { code: string; message: string } {
  if (isMingaError(error)) return { code: error.code, message: error.message }
  if (error instanceof Error && error.name === 'ZodError') {
    return { code: 'MINGA_BAD_MESSAGE', message: formSentence(error as ZodError) }
  }
  return { code: 'MINGA_INTERNAL', message: error instanceof Error ? error.message : String(error) }
}
