// Goal: neither a page elsewhere nor an archived one reaches the station through its reader's browser, and nothing that
// strangers wrote runs on the station's own page. Method: a real station that archived a hostile site, a user who is
// logged in with Debian's Chromium, pages of other ports and of the replay in the same browser, and raw HTTP.
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserContext, Page, Response } from 'playwright-core'
import type { ReplayAccess } from '@minga/protocol'
import { ATTACK, LEAK, MARKUP, startHostileSite, type HostileSite } from './hostile-site.ts'
import { askStation, replayedFrame, skipWithoutChromium } from './page-station.ts'
import { startTabs, type Tabs } from './page-tabs.ts'

const PASSWORD = 'seven llamas cross the river'
const PATIENCE_MS = 60_000

/** The page that asked; empty of a service worker, and of a window that is not there yet. */
function pageOf(response: Response): string {
  try {
    return response.frame().url()
  } catch {
    return ''
  }
}

/** Counts whatever reaches it, by TCP or UDP. */
async function startAttacker(): Promise<
  { leak: string; stunPort: number; reached: string[] } & AsyncDisposable
> {
  const reached: string[] = []
  const server = createServer((socket) => {
    reached.push('tcp')
    socket.destroy()
  }).listen(0, '127.0.0.1')
  const stun = createSocket('udp4', () => void reached.push('udp')).bind(0, '127.0.0.1')
  await Promise.all([once(server, 'listening'), once(stun, 'listening')])
  const leak = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = async (): Promise<void> => {
    server.close()
    stun.close()
  }
  return { leak, stunPort: stun.address().port, reached, [Symbol.asyncDispose]: close }
}

describe('the security of the page', { skip: skipWithoutChromium }, () => {
  let tabs: Tabs
  let site: HostileSite
  /** Another port of the same machine: the same site to a browser, another origin. */
  let neighbour: HostileSite
  let vera: Page
  let replay: string
  /** The origin where pages of the collection run. */
  let captures: string
  let collectionId: number
  let otherId: number

  before(async () => {
    site = await startHostileSite()
    neighbour = await startHostileSite()
    tabs = await startTabs('--allow-private-addresses')
    site.target = tabs.station.url
    neighbour.target = tabs.station.url
    for (const name of ['vera', 'mallory']) {
      const account = { name, password: PASSWORD, roles: ['collector', 'reader', 'volunteer'] }
      await askStation(tabs.station, '/accounts', account)
    }
    collectionId = await collect(site.url)
    otherId = await collect(neighbour.url)
    const asked = `/archive/replay?collectionId=${collectionId}`
    const { origin, port } = await askStation<ReplayAccess>(tabs.station, asked)
    replay = `http://127.0.0.1:${port}`
    captures = origin!
    vera = await tabs.visit('/log-in?to=https://evil.test/&next=//evil.test')
    await logIn(vera, 'vera')
  })
  after(async () => {
    await tabs?.end()
    site?.close()
    neighbour?.close()
  })

  async function collect(seed: string): Promise<number> {
    const request = { seeds: [seed], scope: 'host', delayMs: 0 }
    const { id } = await askStation<{ id: number }>(tabs.station, '/collections', request)
    for (const until = performance.now() + PATIENCE_MS; performance.now() < until;) {
      const { state } = await askStation<{ state: string }>(tabs.station, `/collections/${id}`)
      if (state === 'finished') return id
      await sleep(100)
    }
    throw new Error('The crawl did not end.')
  }

  async function logIn(page: Page, name: string): Promise<void> {
    await page.getByRole('main').getByLabel('Name', { exact: true }).fill(name)
    await page.getByRole('main').getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('main').getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('link', { name }).waitFor()
  }

  const countCollections = async (): Promise<number> =>
    (await askStation<unknown[]>(tabs.station, '/collections')).length

  /** With the operator's key; answers the status. */
  async function send(method: string, path: string, body: object): Promise<number> {
    const { url, key } = tabs.station
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const sent = { method, headers, body: JSON.stringify(body) }
    return (await fetch(`${url}/api${path}`, sent)).status
  }

  /** What the station answered to pages that are not its own. */
  function answersElsewhere(context: BrowserContext): string[] {
    const answers: string[] = []
    context.on('response', (response: Response) => {
      const { station } = tabs
      const isForeign = !pageOf(response).startsWith(`${station.url}/`)
      const isApi = response.url().startsWith(`${station.url}/api/`)
      if (isForeign && isApi && response.status() < 400) {
        answers.push(`${response.status()} ${response.request().method()} ${response.url()}`)
      }
    })
    return answers
  }

  test('open redirects: a log-in leads to the station, whatever its address asks for', async () => {
    const { origin, pathname } = new URL(vera.url())
    assert.deepEqual([origin, pathname], [tabs.station.url, '/'])
  })

  test('CSRF: pages of another port, with the cookie of who is logged in, get nothing and change nothing', async () => {
    const context = vera.context()
    const answers = answersElsewhere(context)
    const known = await countCollections()
    const evil = await context.newPage()
    await evil.goto(neighbour.url)
    const tried = await evil.evaluate(`(${ATTACK})('${tabs.station.url}')`)
    for (const [name, came] of Object.entries(tried as Record<string, string>)) {
      assert.equal(came, 'refused', name)
    }
    for (const [method, path] of [
      ['post', '/api/collections'],
      ['post', '/api/sessions'],
      ['get', '/api/v1/extract'],
      ['get', '/api/me'],
    ] as const) {
      const sender = await context.newPage()
      await sender.goto(neighbour.url)
      const [answer] = await Promise.all([
        sender.waitForResponse((response) => response.url().startsWith(tabs.station.url + path)),
        sender.evaluate(`(() => {
          const form = document.createElement('form')
          form.method = '${method}'
          form.action = '${tabs.station.url}${path}'
          form.enctype = 'text/plain'
          form.innerHTML = '<input name=url value="https://wiki.example/wiki/Llama">'
          document.body.append(form)
          form.submit()
        })()`),
      ])
      assert.ok(answer.status() >= 400, `${method} ${path} → ${answer.status()}`)
      await sender.close()
    }
    await evil.close()
    assert.deepEqual(answers, [])
    assert.equal(await countCollections(), known)
    await vera.reload()
    await vera.getByRole('link', { name: 'vera' }).waitFor()
  })

  test('archived scripts reach nothing of the station, by whatever way they try', async () => {
    const context = vera.context()
    const answers = answersElsewhere(context)
    const known = await countCollections()
    const shown = await context.newPage()
    await shown.goto(`${replay}/view/version/${collectionId}/1/${site.url}attack`)
    const frame = await replayedFrame(shown)
    await frame.locator('body[data-tried]').waitFor({ state: 'attached' })
    const own = await frame.evaluate<string>('document.body.dataset.tried')
    // The player answers from the archive what a page asks of anybody: no word of it is the station's.
    assert.doesNotMatch(own, /vera|acct_|minga_/)
    // A script that broke out of the player has the bare origin of the replay.
    const bare = await context.newPage()
    await bare.goto(`${captures}/replay/ui.js`)
    const tried = await bare.evaluate(`(${ATTACK})('${tabs.station.url}')`)
    for (const [name, came] of Object.entries(tried as Record<string, string>)) {
      assert.equal(came, 'refused', name)
    }
    assert.deepEqual(await bare.evaluate('Object.keys(localStorage)'), [])
    await bare.close()
    await shown.close()
    assert.deepEqual(answers, [])
    assert.equal(await countCollections(), known)
  })

  test('a capture of its own tab reads nothing of other collections and carries nothing off', async () => {
    const shown = await vera.context().newPage()
    await shown.goto(`${replay}/view/version/${collectionId}/1/${site.url}`)
    const frame = await replayedFrame(shown)
    await frame.locator('h1').waitFor()
    const tab = shown.url()
    assert.match(tab, /^http:\/\/view\.minga\.localhost:/)
    await using attacker = await startAttacker()
    const other = captures.replace(`c-${collectionId}.`, `c-${otherId}.`)
    const index = `/replay/sources/collection-${otherId}/1-1-0/index.cdxj`
    const others = [captures, other, replay].flatMap((origin) => [
      origin + index,
      `${origin}/raw/20990101000000/${neighbour.url}`,
      `${origin}/view/version/${otherId}/1`,
    ])
    const { leak, stunPort } = attacker
    const capture = frame.url()
    const tried = await frame.evaluate(`(${LEAK})(${JSON.stringify({ leak, stunPort, others })})`)
    for (const [name, came] of Object.entries(tried as Record<string, string>)) {
      assert.equal(came, 'refused', name)
    }
    await shown.waitForTimeout(500)
    assert.equal(shown.url(), tab)
    // Opened by a menu of the browser the capture has the tab to itself: it is put into its frame.
    await shown.goto(capture)
    assert.equal(new URL(shown.url()).host, new URL(tab).host)
    assert.deepEqual(attacker.reached, [], 'connections and packets to the attacker')
    assert.equal(vera.context().pages().length, 2)
    await shown.close()
  })

  test('a page that archived scripts open, or that opened them, tells them nothing and hears nothing', async () => {
    const context = vera.context()
    const shown = await context.newPage()
    await shown.goto(`${captures}/replay/ui.js`)
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      shown.evaluate(`void (window.other = window.open('${tabs.station.url}/account'))`),
    ])
    await opened.locator('main h1').first().waitFor()
    await opened.evaluate(`void addEventListener('message', () => { window.heard = true })`)
    const seen = await shown.evaluate(`(() => {
      try { window.other.postMessage('log out', '*') } catch {}
      try { return window.other.localStorage.length } catch { return 'refused' }
    })()`)
    assert.notEqual(typeof seen, 'number')
    await opened.waitForTimeout(300)
    assert.equal(await opened.evaluate('window.heard ?? false'), false)
    assert.equal(await opened.evaluate('window.opener'), null)
    await opened.close()
    await shown.close()
  })

  test('session fixation: what was planted before a log-in, or kept after a log-out, is worth nothing', async () => {
    const raw = async (name: string): Promise<{ cookie: string; token: string }> => {
      const response = await fetch(`${tabs.station.url}/api/sessions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: tabs.station.url },
        body: JSON.stringify({ name, password: PASSWORD }),
      })
      const cookie = response.headers.get('set-cookie')!.split(';', 1)[0]!
      return { cookie, token: ((await response.json()) as { pageToken: string }).pageToken }
    }
    const mallory = await raw('mallory')
    const page = await tabs.blank()
    await page.goto(neighbour.url)
    for (const path of ['/', '/api', '/api/me']) {
      await page.evaluate(`document.cookie = '${mallory.cookie}; path=${path}'`)
    }
    await tabs.open(page, '/log-in')
    await page.evaluate(`localStorage.setItem('minga:page-token', '${mallory.token}')`)
    await tabs.open(page, '/account')
    await page.getByRole('heading', { name: 'mallory' }).waitFor()
    await page.getByRole('button', { name: 'Log out', exact: true }).click()
    await page.waitForURL(`${tabs.station.url}/`)
    await tabs.open(page, '/log-in')
    await logIn(page, 'vera')
    await tabs.open(page, '/account')
    await page.getByRole('heading', { name: 'vera', level: 1 }).waitFor()
    const token = await page.evaluate<string>(`localStorage.getItem('minga:page-token')`)
    assert.notEqual(token, mallory.token)
    const cookies = await page.context().cookies(`${tabs.station.url}/api/me`)
    const shown = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    const me = async (cookie: string, pageToken: string): Promise<number> =>
      (
        await fetch(`${tabs.station.url}/api/me`, {
          headers: { cookie, 'x-minga-token': pageToken },
        })
      ).status
    assert.equal(await me(shown, token), 200)
    assert.equal(await me(shown, ''), 401)
    assert.equal(await me(mallory.cookie, mallory.token), 401, 'ended by logging out')
    await page.getByRole('button', { name: 'Log out', exact: true }).click()
    await page.waitForURL(`${tabs.station.url}/`)
    assert.equal(await me(shown, token), 401, 'a session that was logged out')
    assert.equal(await page.evaluate(`localStorage.getItem('minga:page-token')`), null)
    await page.context().close()
  })

  test('XSS: what strangers named, wrote and captured is text on every screen', async () => {
    const watch = { name: MARKUP, urls: [`${site.url}?q=${encodeURIComponent(MARKUP)}`] }
    const { id: watchId } = await askStation<{ id: number }>(tabs.station, '/watches', watch)
    await askStation(tabs.station, '/keys', { name: MARKUP.slice(0, 60) })
    const wiki = { address: `${site.url}w/api.php`, pages: [MARKUP] }
    assert.equal(await send('POST', '/wikis', wiki), 202)
    const [device] = await askStation<{ id: string }[]>(tabs.station, '/devices')
    const renamed = { name: MARKUP.slice(0, 100) }
    assert.equal(await send('PATCH', `/devices/${device!.id}`, renamed), 200)
    const page = await tabs.visit('/', { withKey: true })
    const url = encodeURIComponent(`${site.url}?q=${MARKUP}`)
    for (const path of [
      '/',
      `/collections/${collectionId}`,
      `/archive?q=${encodeURIComponent(MARKUP)}`,
      '/archive?q=127.0.0.1',
      `/archive/url?url=${encodeURIComponent(site.url)}`,
      `/archive/url?url=${url}`,
      '/archive/url?url=javascript:window.pwned=1',
      '/versions',
      `/versions/${collectionId}/1`,
      '/watches',
      `/watches/${watchId}`,
      '/keys',
      '/accounts',
      '/devices',
      `/devices/${device!.id}`,
      '/wikis',
      `/collections/${encodeURIComponent(MARKUP)}`,
      `/events?q=${encodeURIComponent(MARKUP)}`,
      '/events',
      `/${encodeURIComponent(MARKUP)}`,
    ]) {
      await tabs.walk(page, path)
      assert.equal(await page.evaluate('window.pwned ?? 0'), 0, path)
      assert.equal(
        await page.locator('img[src="x"], main script, main iframe[src^="data:"]').count(),
        0,
      )
      const links = await page.evaluate<string[]>(
        `[...document.querySelectorAll('a[href]')].map((link) => link.href)
          .filter((href) => !/^(https?|blob):/.test(href))`,
      )
      assert.deepEqual(links, [], path)
    }
    assert.deepEqual(
      tabs.complaints.filter((each) => !each.includes(neighbour.url)),
      [],
    )
    await page.context().close()
  })

  test('clickjacking: nobody frames the page, its API or the page for site owners', async () => {
    const page = await tabs.blank()
    await page.goto(neighbour.url)
    for (const path of ['/', '/account', '/api/collections', '/bot']) {
      const framed = await page.evaluate<string>(`new Promise((resolve) => {
        const frame = document.createElement('iframe')
        frame.src = '${tabs.station.url}${path}'
        frame.onload = () => { try { resolve(frame.contentDocument === null ? 'foreign' : 'own') } catch { resolve('foreign') } }
        document.body.append(frame)
      })`)
      assert.equal(framed, 'foreign')
      const frames = page.frames().filter((frame) => frame.url().startsWith(tabs.station.url))
      for (const frame of frames) {
        assert.equal(
          await frame.evaluate('document.body?.childElementCount ?? 0').catch(() => 0),
          0,
          path,
        )
      }
    }
    await page.context().close()
  })

  test('headers: no answer runs, is guessed at, framed, cached or tells where its reader came from', async () => {
    const headersOf = async (path: string): Promise<Headers> =>
      (await fetch(tabs.station.url + path)).headers
    for (const path of [
      '/',
      '/collections/1',
      '/api/collections',
      '/api/me',
      '/api/nowhere',
      '/bot',
    ]) {
      const headers = await headersOf(path)
      const policy = headers.get('content-security-policy') ?? ''
      assert.match(policy, /default-src 'none'/, path)
      assert.match(policy, /frame-ancestors 'none'/, path)
      // Collections have names of their own, all of them on the port of replay.
      const own = policy.replace(/ http:\/\/\*\.minga\.localhost:\d+$/, '')
      assert.doesNotMatch(own, /unsafe-(inline|eval)|\*/, path)
      assert.equal(headers.get('x-content-type-options'), 'nosniff', path)
      assert.match(headers.get('referrer-policy') ?? '', /^(no-referrer|same-origin)$/, path)
      assert.equal(headers.get('access-control-allow-origin'), null, path)
    }
    for (const path of ['/api/collections', '/api/me', '/api/snapshot']) {
      assert.equal((await headersOf(path)).get('cache-control'), 'no-store', path)
      assert.equal((await headersOf(path)).get('cross-origin-resource-policy'), 'same-origin', path)
    }
    // Later, when the debugger, which the policy does not bind, is out of it.
    const ran = await vera.evaluate(`new Promise((resolve) => setTimeout(() => {
      const inline = document.createElement('script')
      inline.textContent = 'window.inlineRan = true'
      document.head.append(inline)
      let evaluated = false
      try { evaluated = (0, eval)('true') } catch {}
      resolve(JSON.stringify([window.inlineRan ?? false, evaluated]))
    }))`)
    assert.equal(ran, '[false,false]')
  })
})
