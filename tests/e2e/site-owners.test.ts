// Goal: what a site's owner decides is felt at the site at once, and its log shows whose bot it was.
// Method: a real coordinator and a real agent over HTTP, a small site that logs every hit with its
// headers, a name server on loopback; judged from the site's side. The page in Chromium with axe.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
} from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { startAgent } from '@minga/agent'
import { startCoordinator, type Coordinator } from '@minga/coordinator/start'
import { BEAT_EVERY_MS, type CollectionStatus } from '@minga/protocol'
import { startTestDns, type TestDns } from '../../packages/net/test/dns-fixture.ts'
import { problemOf, type PublishedKey } from '../../packages/net/test/http/web-bot-auth-fixture.ts'
import { launchBrowser, axeFindings, skipWithoutChromium } from './page-station.ts'

interface SiteHit {
  atMs: number
  host: string
  path: string
  headers: IncomingHttpHeaders
}

/** Each has an address of its own: hosts that share one wait for each other. */
const HOSTS = ['stop', 'stay', 'slow', 'form', 'axe']
const addressOf = (host: number): string => `127.0.91.${host + 1}`

/** Every page links to ten more: it never ends by itself. */
class EndlessSite {
  readonly hits: SiteHit[] = []
  /** By host and path. */
  readonly files = new Map<string, string>()
  readonly #servers: Server[]
  port = 0

  constructor() {
    const listener: RequestListener = (request, response) => {
      const [host = ''] = (request.headers.host ?? '').split(':')
      const asked = request.url ?? '/'
      this.hits.push({ atMs: performance.now(), host, path: asked, headers: request.headers })
      const file = this.files.get(`${host}${asked}`)
      if (file !== undefined) return response.end(file)
      if (!asked.startsWith('/p/')) return response.writeHead(404).end()
      response.setHeader('content-type', 'text/html')
      const at = Number(asked.slice(3))
      const links = Array.from({ length: 10 }, (_, i) => `<a href="/p/${at * 10 + i + 1}">x</a>`)
      return response.end(links.join(''))
    }
    this.#servers = HOSTS.map(() => createServer(listener))
  }

  async listen(): Promise<void> {
    for (const [i, server] of this.#servers.entries()) {
      server.listen(this.port, addressOf(i))
      await once(server, 'listening')
      this.port = (server.address() as AddressInfo).port
    }
  }

  of(host: string): SiteHit[] {
    return this.hits.filter((hit) => hit.host === host && hit.path.startsWith('/p/'))
  }

  async close(): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    }
  }
}

const DELAY_MS = 40

describe('owners of sites and the fleet', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'minga-owners-'))
  const data = path.join(folder, 'station')
  const site = new EndlessSite()
  const stop = new AbortController()
  let dns: TestDns
  let coordinator: Coordinator
  let agent: Promise<void>
  let url = ''

  before(async () => {
    await site.listen()
    dns = await startTestDns()
    const port = await freePort()
    url = `http://127.0.0.1:${port}`
    coordinator = await startCoordinator({
      data,
      listen: { host: '127.0.0.1', port },
      allowPrivateAddresses: true,
      resolve: HOSTS.map((name, i) => `${name}.site.test=${addressOf(i)}`),
      dnsServers: [dns.server],
      publicUrl: url,
      contact: 'owner@station.test',
      flags: { webBotAuth: 'on', delayMs: DELAY_MS },
    })
    agent = startAgent(
      {
        stationUrl: url,
        token: coordinator.tokens.joinToken,
        data: path.join(folder, 'agent'),
        allowPrivateAddresses: true,
      },
      stop.signal,
    )
  })

  after(async () => {
    stop.abort()
    await agent
    await coordinator.close()
    await Promise.all([site.close(), dns.close()])
    fs.rmSync(folder, { recursive: true, force: true })
  })

  async function call<T>(method: string, route: string, body?: object): Promise<T> {
    const response = await fetch(`${url}/api${route}`, {
      method,
      headers: {
        authorization: `Bearer ${coordinator.tokens.apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as T
    assert.ok(response.ok, JSON.stringify(answer))
    return answer
  }

  const collect = (host: string): Promise<CollectionStatus> =>
    call('POST', '/collections', {
      seeds: [`http://${host}:${site.port}/p/0`],
      scope: 'host',
      delayMs: DELAY_MS,
      trapBudget: false,
    })

  async function until(isSo: () => boolean): Promise<void> {
    for (let looks = 0; looks < 300 && !isSo(); looks++) await sleep(100)
    assert.ok(isSo(), 'it did not happen within half a minute')
  }

  interface Opened {
    id: string
    secret: string
    token: string
  }

  async function prove(host: string, publish: (opened: Opened) => void): Promise<Opened> {
    const opened = await call<Opened>('POST', '/site-owners/proofs', {
      host: `${host}:${site.port}`,
    })
    publish(opened)
    const { secret } = opened
    const route = `/site-owners/proofs/${opened.id}/check`
    for (let checks = 0; checks < 3; checks++) {
      const { provenBy } = await call<{ provenBy: string | null }>('POST', route, { secret })
      if (provenBy !== null) return opened
      await sleep(500)
    }
    return assert.fail('it was not proven')
  }

  test('an opt-out proven by DNS ends the hits within a beat, and only those of that host', async () => {
    const stopped = await collect('stop.site.test')
    await collect('stay.site.test')
    await until(() => site.of('stop.site.test').length > 20 && site.of('stay.site.test').length > 5)
    const owner = await prove('stop.site.test', ({ token }) => {
      dns.txt.set('_minga-proof.stop.site.test', [`minga-proof=${token}`])
    })
    const { secret } = owner
    const host = '*.stop.site.test'
    await call('PUT', `/site-owners/proofs/${owner.id}/rule`, { secret, host, effect: 'stop' })
    const decidedAt = performance.now()
    await sleep(2 * BEAT_EVERY_MS)
    const staying = site.of('stay.site.test').length
    await sleep(2 * BEAT_EVERY_MS)
    // The proof's file is fetched for its owner, whenever an agent comes to it.
    const late = site.of('stop.site.test').filter(({ atMs }) => atMs > decidedAt)
    const lastMs = Math.max(0, ...late.map(({ atMs }) => atMs - decidedAt))
    assert.ok(lastMs <= BEAT_EVERY_MS + 500, `the last hit came ${lastMs} ms after the opt-out`)
    const status = await call<CollectionStatus>('GET', `/collections/${stopped.id}`)
    assert.equal(status.queued, 0)
    assert.ok(status.errors['MINGA_SITE_OPTED_OUT']! > 0)
    await until(() => site.of('stay.site.test').length > staying)
    await call('DELETE', `/site-owners/proofs/${owner.id}/rule`, { secret, host })
    const again = site.of('stop.site.test').length
    await call('POST', '/batches', { urls: [`http://stop.site.test:${site.port}/p/999`] })
    await until(() => site.of('stop.site.test').length > again)
  })

  test('a slow-down proven by a file spaces the hits from the next lease on', async () => {
    await collect('slow.site.test')
    await until(() => site.of('slow.site.test').length > 5)
    const owner = await prove('slow.site.test', ({ token }) => {
      site.files.set('slow.site.test/.well-known/minga-proof.txt', `${token}\n`)
    })
    const proofs = site.hits.filter(({ path: asked }) => asked.startsWith('/.well-known/'))
    assert.ok(proofs.some(({ host }) => host === 'slow.site.test'))
    const host = `slow.site.test:${site.port}`
    const wish = { secret: owner.secret, host, effect: 'slow', delayS: 2 }
    await call('PUT', `/site-owners/proofs/${owner.id}/rule`, wish)
    const obeyedFrom = performance.now() + BEAT_EVERY_MS + 500
    const since = (): SiteHit[] => site.of('slow.site.test').filter((hit) => hit.atMs > obeyedFrom)
    await until(() => since().length >= 4)
    const times = since().map(({ atMs }) => atMs)
    for (const [i, at] of times.slice(1).entries()) {
      assert.ok(at - times[i]! >= 1_990, `hits came ${at - times[i]!} ms apart`)
    }
  })

  test('Web Bot Auth: every request is signed by a published key, and the archive shows it', async () => {
    const hits = site.hits.slice(-50)
    assert.ok(hits.length > 10)
    const response = await fetch(`${url}/.well-known/http-message-signatures-directory`)
    const { keys } = (await response.json()) as { keys: PublishedKey[] }
    assert.equal(keys.length, 1)
    for (const { headers } of hits) {
      assert.equal(headers['signature-agent'], `sig1="${url}"`)
      assert.match(
        headers['user-agent']!,
        /^MingaBot\/\S+ \(\+http:\S+\/bot; owner@station\.test\)$/,
      )
      const nowS = Math.floor(Date.now() / 1_000)
      assert.equal(problemOf({ authority: headers.host!, headers, nowS }, keys), null)
    }
    const nonces = site.hits.map(
      ({ headers }) => /nonce="([^"]+)"/.exec(String(headers['signature-input']))![1],
    )
    assert.equal(new Set(nonces).size, nonces.length)
    const folderOfWarcs = path.join(data, 'archive')
    const warcs = fs.readdirSync(folderOfWarcs).filter((name) => name.endsWith('.warc.gz'))
    const text = warcs
      .map((name) => gunzipSync(fs.readFileSync(path.join(folderOfWarcs, name))).toString('latin1'))
      .join('')
    const { headers } = site.of('stay.site.test')[0]!
    assert.ok(text.includes(`signature: ${String(headers['signature'])}`))
  })

  test(
    'the page is the same without a script: owners go the whole way by forms, and axe finds nothing',
    {
      skip: skipWithoutChromium,
    },
    async () => {
      const browser = await launchBrowser()
      try {
        const context = await browser.newContext({ locale: 'es', javaScriptEnabled: false })
        const page = await context.newPage()
        await page.goto(`${url}/bot`)
        assert.equal(await page.locator('html').getAttribute('lang'), 'es')
        await page.fill('#own-host', `form.site.test:${site.port}`)
        await page.click('form[action^="/bot/proof"] button')
        const token = /minga-[0-9a-f]{40}/.exec(await page.content())![0]
        site.files.set('form.site.test/.well-known/minga-proof.txt', token)
        await page.click('form[action^="/bot/check"] button')
        await page.click('form:has(input[value="stop"]) button')
        assert.match(await page.content(), /No se pide nada a este servidor\./)
        await page.click('form[action^="/bot/undo"] button')
        assert.match(await page.content(), /decide robots\.txt\./)
        const looking = await (await browser.newContext({ locale: 'en' })).newPage()
        await looking.goto(`${url}/bot`)
        assert.deepEqual(await axeFindings(looking), [])
        await looking.fill('#own-host', `axe.site.test:${site.port}`)
        await looking.click('form[action^="/bot/proof"] button')
        assert.deepEqual(await axeFindings(looking), [])
      } finally {
        await browser.close()
      }
    },
  )
})

async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
