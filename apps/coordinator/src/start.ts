/** Builds a coordinator from its settings: store, clock, pipeline, server. */
import { createResolver } from '@minga/net'
import { isMingaError, systemClock, type Clock } from '@minga/protocol'
import { openStore, type Store } from '@minga/store'
import type { FastifyInstance } from 'fastify'
import { writeArchiveIndex } from './archive-index.ts'
import { PortTaken } from './errors.ts'
import { userAgentOf } from './identity.ts'
import { LiveEvents } from './live-events.ts'
import { Pipeline } from './pipeline.ts'
import { createServer } from './server.ts'
import { stationTokens, writeStationFile, type StationTokens } from './station-file.ts'
import { createSteadyClock } from './steady-clock.ts'

export interface CoordinatorSettings {
  data: string
  /** Null: nothing listens; the API is reached in this process only. */
  listen: { host: string; port: number } | null
  postgresUrl?: string
  allowPrivateAddresses: boolean
  contact?: string
  /** Like curl's --resolve: `*.fake.test=127.0.9.1`. */
  resolve?: string[]
  tls?: { certFile: string; keyFile: string }
  /** Where the built page lies; without it the station has an API only. */
  pageFolder?: string
}

export interface Coordinator {
  app: FastifyInstance
  url: string | null
  tokens: StationTokens
  close: () => Promise<void>
}

const TICK_MS = 500

export async function startCoordinator(settings: CoordinatorSettings): Promise<Coordinator> {
  const { data } = settings
  const store = await openStore({
    data,
    operations: new URL('./operations.ts', import.meta.url).href,
    writer: 'main',
    ...(settings.postgresUrl ? { postgresUrl: settings.postgresUrl } : {}),
  })
  const clock = await steadyClock(store)
  const tokens = await stationTokens(data)
  const { allowPrivateAddresses } = settings
  const resolver = createResolver({ clock, overrides: settings.resolve ?? [] })
  const pipeline = new Pipeline({ store, clock, resolver, guard: { allowPrivateAddresses } })
  const closing = new AbortController()
  const live = new LiveEvents({
    clock,
    readCollections: () => pipeline.statuses(),
    readCaptures: (limit) => store.call('listCaptures', { newestFirst: true, limit }),
    closing: closing.signal,
  })
  const app = await createServer({
    pipeline,
    live,
    store,
    data,
    tokens,
    userAgent: userAgentOf(settings.contact ?? null),
    allowPrivateAddresses,
    hostNames: hostNamesOf(settings.listen?.host ?? null),
    closing: closing.signal,
    tls: settings.tls ?? null,
    pageFolder: settings.pageFolder ?? null,
  })
  const url = await listen(app, settings)
  await pipeline.start()
  if (url !== null) await writeStationFile(data, { url, pid: process.pid, ...tokens })
  const telling = live.run()
  const ticking = tickUntil(pipeline, clock, closing.signal)
  const close = async (): Promise<void> => {
    closing.abort()
    await app.close()
    await Promise.all([ticking, telling])
    await writeArchiveIndex(store, data)
    await store.close()
  }
  return { app, url, tokens, close }
}

async function steadyClock(store: Store): Promise<Clock> {
  const latestSeen = await store.call<string | null>('readFact', { name: 'latestSeen' })
  return createSteadyClock(systemClock, Number(latestSeen ?? 0))
}

/** Names by which a browser may call a station; the first protects against DNS rebinding. */
function hostNamesOf(host: string | null): ReadonlySet<string> {
  const isOpen = host !== null && !/^(127\.|localhost$|::1$)/.test(host)
  return new Set(isOpen ? ['*'] : ['127.0.0.1', 'localhost', '[::1]', ...(host ? [host] : [])])
}

async function listen(app: FastifyInstance, settings: CoordinatorSettings): Promise<string | null> {
  if (settings.listen === null) return null
  const { host, port } = settings.listen
  try {
    await app.listen({ host, port })
  } catch (cause) {
    if ((cause as { code?: string }).code !== 'EADDRINUSE') throw cause
    throw new PortTaken(`${host}:${port}`, { cause })
  }
  const address = app.server.address()
  const actual = typeof address === 'object' && address !== null ? address.port : port
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `${settings.tls ? 'https' : 'http'}://${name.includes(':') ? `[${name}]` : name}:${actual}`
}

async function tickUntil(pipeline: Pipeline, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await pipeline.tick()
    } catch (error) {
      // A full disk or an absent database passes; agents keep their results meanwhile.
      if (!isMingaError(error) || error.retry === 'never') throw error
      process.stderr.write(`minga: ${error.message} (${error.code})\n`)
    }
    await clock.sleep(TICK_MS, signal)
  }
}
