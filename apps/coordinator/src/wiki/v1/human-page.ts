/** The API on one page, for people. */
import { createHash } from 'node:crypto'
import { html, Html } from '../../http/html.ts'
import type { V1Route } from './v1-route.ts'

const STYLE = `:root{color-scheme:light dark}
body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem}
table{border-collapse:collapse}th,td{text-align:left;vertical-align:top;padding:.3rem .8rem .3rem 0}
code{overflow-wrap:anywhere}`

/** In one piece: a space more within it, and browsers refuse it for its hash. */
const STYLE_TAG = new Html(`<style>${STYLE}</style>`)
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** Nothing on it runs and nothing is loaded. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
}

export function humanPage(routes: readonly V1Route[]): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Histories of wikis: the API</title>
        ${STYLE_TAG}
      </head>
      <body>
        <main>
          <h1>Histories of wikis: the API</h1>
          <p>
            Every address below begins with <code>/api/v1</code>. Programs show their key as
            <code>Authorization: Bearer</code>. The whole description for programs is
            <a href="/api/v1/openapi.json">openapi.json</a>.
          </p>
          <table>
            <thead>
              <tr>
                <th>Address</th>
                <th>What it does</th>
                <th>Parameters</th>
              </tr>
            </thead>
            <tbody>
              ${routes.map(rowOf)}
            </tbody>
          </table>
        </main>
      </body>
    </html> `.text
}

function rowOf({ method, path, summary, query }: V1Route): Html {
  return html`<tr>
    <td><code>${method} ${path}</code></td>
    <td>${summary}</td>
    <td>${Object.keys(query.shape).join(', ')}</td>
  </tr>`
}
