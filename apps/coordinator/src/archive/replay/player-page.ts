/** The page around an archived page: what it is, of when, and the player that shows it. */
import { cdxjTimestamp, writableDate } from '@minga/archive'
import type { CaptureRow } from '@minga/protocol'
import { html, Html } from '../../http/html.ts'
import { REPLAY_POLICY } from './player-policies.ts'

export interface PlayerPage {
  capture: CaptureRow
  /** The address of its index. */
  source: string
  /** Null: the collection as a whole. */
  version: { collectionId: number; number: number } | null
}

/**
 * On a busy machine the player's worker sometimes misses the page's first call and waits for ever;
 * loading the page again helps. The player notifies its window as soon as it shows something; the
 * station's page around it is notified as well, and treats the message as untrusted, because an
 * archived page can send it. A browser that blocks storage of other sites in frames shows nothing
 * there: the page around it says so, and offers a tab.
 */
const TRY_AGAIN = new Html(`<script>
const announce = (message) => { if (parent !== window) parent.postMessage(message, '*') }
try { sessionStorage } catch { announce({ type: 'minga:blocked' }) }
const tries = Number(sessionStorage.getItem(location.href) ?? 0)
const again = setTimeout(() => {
  if (tries >= 2) return
  sessionStorage.setItem(location.href, String(tries + 1))
  location.reload()
}, 10_000)
addEventListener('message', ({ data }) => {
  if (data?.type !== 'urlchange') return
  clearTimeout(again)
  const { url, ts } = data
  announce({ type: 'minga:shown', url, ts })
})
</script>`)

export function playerPage({ capture, source, version }: PlayerPage): string {
  const { url, capturedAt, title } = capture
  const moment = writableDate(capturedAt).toISOString()
  const timestamp = cdxjTimestamp(capturedAt)
  const name = title ?? url
  const of = version === null ? '' : ` · version ${version.number} of ${version.collectionId}`
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${name} · ${moment.slice(0, 10)}</title>
        ${TRY_AGAIN}
        <script src="/replay/ui.js"></script>
        <style>
          html,
          body {
            height: 100%;
            margin: 0;
          }
          body {
            display: flex;
            flex-direction: column;
            font:
              14px/1.5 system-ui,
              sans-serif;
            color: #1c1c1c;
            background: #fff;
          }
          header {
            padding: 6px 14px;
            border-bottom: 2px solid #7a4a00;
            background: #fff8ec;
            overflow-wrap: anywhere;
          }
          header a {
            color: #5b3500;
          }
          main {
            flex: 1;
            min-height: 0;
          }
          replay-web-page {
            display: block;
            width: 100%;
            height: 100%;
          }
        </style>
      </head>
      <body>
        <header role="banner">
          <span role="heading" aria-level="1">Archived page: <strong>${url}</strong></span
          >, <time datetime="${moment}">${moment.slice(0, 19).replace('T', ' ')} UTC</time>${of} ·
          <a href="/raw/${timestamp}/${url}">raw</a>
        </header>
        <main aria-label="Archived page">
          <replay-web-page
            source="${source}"
            url="${url}"
            ts="${timestamp}"
            replayBase="/replay/"
            embed="replayonly"
            config="${JSON.stringify({ csp: REPLAY_POLICY })}"
          ></replay-web-page>
        </main>
      </body>
    </html> `.text
}
