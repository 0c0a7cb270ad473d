/**
 * The page around a capture in a tab of its own. It stands on another origin than the capture: scripts of an archived
 * page can neither navigate the tab to another site, with what they read in its address, nor open windows.
 */
import { html } from '../../http/html.ts'

/** Scripts of captures run and keep their origin, which the player's service worker needs; nothing else is allowed. */
export const CAPTURE_SANDBOX = 'allow-scripts allow-same-origin'

export function framePolicy(collection: string): string {
  return [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `frame-src ${collection}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}

export function framePage({ address, title }: { address: string; title: string }): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        <style>
          html,
          body,
          main,
          iframe {
            display: block;
            width: 100%;
            height: 100%;
            margin: 0;
            border: 0;
          }
          h1 {
            position: absolute;
            width: 1px;
            height: 1px;
            margin: 0;
            overflow: hidden;
            clip-path: inset(50%);
          }
        </style>
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          <iframe
            title="Archived page"
            src="${address}"
            sandbox="${CAPTURE_SANDBOX}"
            allow=""
            referrerpolicy="no-referrer"
          ></iframe>
        </main>
      </body>
    </html> `.text
}
