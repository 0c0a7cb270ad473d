/**
 * What browsers let archived pages and their player do. Policies of content know nothing of names that are looked up
 * ahead, of navigation and, in most browsers, of WebRTC, each of which could carry off what a capture reads: the list
 * of allowed connections has nothing but their own origin.
 */
import { CAPTURE_SANDBOX } from './replay-frame.ts'

/**
 * Nothing is looked up, connected to or sent anywhere but to the origin of the collection. Redirects are archived ones,
 * which the player leads to that origin, too, or the policy of content stops them.
 */
export const QUIET_HEADERS = {
  'connection-allowlist': '(response-origin); redirects=allow; webrtc=block',
  'x-dns-prefetch-control': 'off',
  'permissions-policy':
    'camera=(), microphone=(), geolocation=(), display-capture=(), usb=(), serial=(), hid=()',
} as const

const ANY_OF_OURS = "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:"

/**
 * The player brings styles and workers of its own; nothing is loaded from anywhere else, and nothing
 * that runs here can send anything elsewhere. The station's own page may show it in a frame.
 */
export function playerPolicy(embedders: readonly string[]): string {
  return [
    ANY_OF_OURS,
    "connect-src 'self' data: blob:",
    "form-action 'self'",
    `frame-ancestors ${["'self'", ...embedders].join(' ')}`,
    "base-uri 'self'",
    "webrtc 'block'",
    `sandbox ${CAPTURE_SANDBOX}`,
  ].join('; ')
}

/**
 * What the player gives archived pages as their policy. Its own allows web sockets to anywhere, by
 * which a hostile page could carry off what its reader may see of the archive.
 */
export const REPLAY_POLICY = [
  `${ANY_OF_OURS} mediastream:`,
  "form-action 'self'",
  "object-src 'none'",
  "webrtc 'block'",
  `sandbox ${CAPTURE_SANDBOX}`,
].join('; ')

/** Of the player's service worker: it reads the index and the records of its own origin. */
export const WORKER_POLICY = `${ANY_OF_OURS}; connect-src 'self' data: blob:`

/**
 * Stands before the player's service worker. Every capture gets our headers whatever the player gives it, and one that
 * is opened as a tab instead of a frame, by a menu of the browser, leads to the page around it.
 */
export const WORKER_PRELUDE = `(() => {
  // The player runs the same file in an ordinary worker, which answers no requests.
  if (typeof FetchEvent === 'undefined') return
  const CAPTURE = /^\\/replay\\/w\\/[^/]+\\/(?::[^/]*\\/)?(\\d*)[a-z_]*\\/(.*)$/s
  const NEWEST = '29991231235959'
  const headers = ${JSON.stringify({ ...QUIET_HEADERS, 'referrer-policy': 'same-origin' })}
  const pathOf = ({ url }) => url.slice(self.location.origin.length)
  const seal = (response) => {
    if (response.status === 0) return response
    const sealed = new Response(response.body, response)
    sealed.headers.append('content-security-policy', ${JSON.stringify(REPLAY_POLICY)})
    for (const name in headers) sealed.headers.set(name, headers[name])
    return sealed
  }
  const respondWith = FetchEvent.prototype.respondWith
  FetchEvent.prototype.respondWith = function (answer) {
    const isCapture = pathOf(this.request).startsWith('/replay/w/')
    respondWith.call(this, isCapture ? Promise.resolve(answer).then(seal) : answer)
  }
  addEventListener('fetch', (event) => {
    const { mode, destination } = event.request
    const capture = CAPTURE.exec(pathOf(event.request))
    if (mode !== 'navigate' || destination !== 'document' || capture === null) return
    event.stopImmediatePropagation()
    respondWith.call(event, Response.redirect('/view/' + (capture[1] || NEWEST).slice(0, 14) + '/' + capture[2]))
  })
})()
`
