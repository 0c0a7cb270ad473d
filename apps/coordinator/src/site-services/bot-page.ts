/** The page for site owners as HTML: one layout, and a part for each step. Nothing in it runs. */
import { createHash } from 'node:crypto'
import type { AddressAnswer, ProofView } from '@minga/fleet'
import { PRODUCT_TOKEN } from '@minga/protocol'
import { BOT_WORDS, type BotLanguage, type Words } from './bot-words.ts'
import { html, Html } from '../http/html.ts'
import type { HostAccount } from './owner-rules.ts'
import { patternsOf } from './owner-rules.ts'
import { instructionsFor, type OwnProof } from './site-owners.ts'

export interface BotFacts {
  userAgent: string
  /** How to reach the operator. */
  contact: string | null
  /** Where the keys of signed requests are, if requests are signed. */
  keyDirectory: string | null
}

const STYLE = `:root{color-scheme:light dark;--ground:#f6f3ec;--card:#fffdf8;--text:#1f2a27;--quiet:#58645f;--line:#ddd6c7;--accent:#0f6b5c;--on:#fff}
@media(prefers-color-scheme:dark){:root{--ground:#141a18;--card:#1d2522;--text:#e8ece8;--quiet:#a3b0aa;--line:#35413c;--accent:#5fd0b7;--on:#08211c}}
body{font:1rem/1.55 system-ui,sans-serif;color:var(--text);background:var(--ground);max-width:46rem;margin:0 auto;padding:1rem}
nav{display:flex;flex-wrap:wrap;gap:.2rem 1rem;justify-content:flex-end;font-size:.9rem}
a{color:var(--accent)}nav a[aria-current]{color:var(--text);font-weight:700;text-decoration:none}
main{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:.2rem clamp(1rem,4vw,2rem) 1.5rem;margin-top:.6rem}
h1{font-size:1.6rem;line-height:1.2;overflow-wrap:anywhere}h2{font-size:1.15rem;margin:2rem 0 .4rem;padding-top:1.2rem;border-top:1px solid var(--line)}
code{overflow-wrap:anywhere}
label{display:block;margin-top:.75rem;font-weight:600}
[id$=hint]{color:var(--quiet);font-size:.9rem}
input,select,button{font:inherit;color:inherit;background:var(--ground);border:1px solid var(--quiet);border-radius:8px;padding:.45rem .7rem;max-width:100%;box-sizing:border-box}
input{width:100%}button{margin-top:.9rem;font-weight:600;color:var(--on);background:var(--accent);border-color:var(--accent);cursor:pointer}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.said{border-left:.3rem solid var(--accent);padding:.2rem 1rem}
.wide{overflow-x:auto}table{border-collapse:collapse}th,td{text-align:right;padding:.3rem .8rem;border-bottom:1px solid var(--line);font-variant-numeric:tabular-nums}
th:first-child,td:first-child{text-align:left;padding-left:0}`

/** In one piece: a space more within it, and browsers refuse it for its hash. */
const STYLE_TAG = new Html(`<style>${STYLE}</style>`)
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** Nothing runs, nothing is loaded, and forms go nowhere but here. The referrer stays on: without
 * it browsers send no Origin with a form, and the guard of browsers wants one. */
export const BOT_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
  vary: 'Accept-Language',
}

export function page(language: BotLanguage, main: Html): string {
  const words = BOT_WORDS[language]
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${words.title}</title>
        ${STYLE_TAG}
      </head>
      <body>
        ${languages(words)}
        <main>${main}</main>
      </body>
    </html> `.text
}

/** A step of a form cannot be repeated by a link: from everywhere to the first page. */
function languages(current: Words): Html {
  const links = Object.values(BOT_WORDS).map(({ language, languageName }) => {
    const isCurrent = language === current.language
    return html`<a
      href="/bot?language=${language}"
      lang="${language}"
      hreflang="${language}"
      ${isCurrent ? new Html('aria-current="true"') : null}
      >${languageName}</a
    >`
  })
  return html`<nav aria-label="${current.languages}">${links}</nav>`
}

export function introduction(words: Words, facts: BotFacts, said: Html | null = null): Html {
  const { userAgent, contact, keyDirectory } = facts
  return html`<h1>${words.title}</h1>
    ${said}
    <h2>${words.who}</h2>
    <p>${words.whoText}</p>
    <p>${words.agent} <code>${userAgent}</code></p>
    <p>${contact === null ? words.noContact : html`${words.contact}: <code>${contact}</code>`}</p>
    <h2>${words.obeys}</h2>
    <ul>
      <li>${words.obeysRobots} <code>${PRODUCT_TOKEN}</code></li>
      <li>${words.obeysDelay}</li>
      <li>${words.obeysRetry}</li>
      <li>${words.obeysOnce}</li>
      ${keyDirectory === null ? null : html`<li>${words.signed} <a href="${keyDirectory}">${keyDirectory}</a></li>`}
    </ul>
    ${ownForm(words)} ${addressForm(words)}`
}

function ownForm(words: Words): Html {
  return html`<h2>${words.ownTitle}</h2>
    <p>${words.ownText}</p>
    <form method="post" action="/bot/proof?language=${words.language}">
      <label for="own-host">${words.host}</label>
      <input id="own-host" name="host" required maxlength="300" aria-describedby="own-hint" />
      <div id="own-hint">${words.hostHint}</div>
      <button>${words.begin}</button>
    </form>
    <h2>${words.again}</h2>
    <form method="post" action="/bot/check?language=${words.language}">
      <label for="again-id">${words.id}</label>
      <input id="again-id" name="id" required maxlength="100" autocomplete="off" />
      <label for="again-secret">${words.secret}</label>
      <input id="again-secret" name="secret" required maxlength="100" autocomplete="off" />
      <button>${words.check}</button>
    </form>`
}

function addressForm(words: Words): Html {
  return html`<h2>${words.addressTitle}</h2>
    <p>${words.addressText}</p>
    <form method="post" action="/bot/address?language=${words.language}">
      <label for="address">${words.address}</label>
      <input id="address" name="address" required maxlength="60" />
      <label for="address-host">${words.host}</label>
      <input id="address-host" name="host" required maxlength="300" />
      <label for="address-at">${words.at}</label>
      <input id="address-at" name="at" required maxlength="40" aria-describedby="at-hint" />
      <div id="at-hint">${words.atHint}</div>
      <button>${words.ask}</button>
    </form>`
}

export function addressSaid(words: Words, answer: AddressAnswer): Html {
  const sentences = { yes: words.answerYes, no: words.answerNo, unknown: words.answerUnknown }
  return html`<p class="said" role="status">${sentences[answer]}</p>`
}

export function problemSaid(words: Words, problem: { code: string; message: string }): Html {
  return html`<div class="said" role="alert">
    <p>${words.problem} (${problem.code}).</p>
    <p lang="en">${problem.message}</p>
  </div>`
}

/** What to publish, and the way to go on. */
export function proofPage(words: Words, view: ProofView, { id, secret }: OwnProof): Html {
  const { file, dns } = instructionsFor(view)
  return html`<h1>${words.proveTitle}: ${view.host}</h1>
    ${view.checkedAt === null ? null : notFound(words, view)}
    <p>${words.proveEither}</p>
    <ol>
      <li>
        <p>${words.proveFile} <code>https://${view.host}${file.path}</code></p>
        <p><code>${file.content}</code></p>
      </li>
      ${
        dns === null
          ? null
          : html`<li>
              <p>${words.proveDns}</p>
              <p>${words.name}: <code>${dns.name}</code></p>
              <p>${words.value}: <code>${dns.value}</code></p>
            </li>`
      }
    </ol>
    <p>${words.keep}</p>
    <p>${words.id}: <code>${id}</code></p>
    <p>${words.secret}: <code>${secret}</code></p>
    <form method="post" action="/bot/check?language=${words.language}">
      ${hidden({ id, secret })}<button>${words.check}</button>
    </form>
    <p><a href="/bot?language=${words.language}">${words.back}</a></p>`
}

function notFound(words: Words, view: ProofView): Html {
  if (view.isFileWanted) return html`<p class="said" role="status">${words.waiting}</p>`
  const file = view.fileNote === null ? null : html`<p>${words.saidFile}: ${view.fileNote}</p>`
  const dns = view.dnsNote === null ? null : html`<p>${words.saidDns}: ${view.dnsNote}</p>`
  return html`<div class="said" role="status">
    <p>${words.notYet}</p>
    ${file}${dns}
  </div>`
}

function hidden(fields: Record<string, string>): Html[] {
  return Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  )
}

/** For whom it is proven: what was asked, what holds, and what can be decided. */
export function ownerPage(
  words: Words,
  { view, account }: { view: ProofView; account: HostAccount },
  proof: OwnProof,
): Html {
  const until = new Date(view.expiresAt).toISOString().slice(0, 10)
  return html`<h1>${view.host}</h1>
    <p class="said" role="status">${words.proven} ${words.provenUntil} ${until}.</p>
    <h2>${words.ruleTitle}</h2>
    ${holding(words, account)} ${account.rules.map((rule) => undoForm(words, rule.pattern, proof))}
    ${deciding(words, view, proof)}
    <h2>${words.askedTitle}</h2>
    ${askedTable(words, account)}
    <p><a href="/bot?language=${words.language}">${words.back}</a></p>`
}

const SECOND_MS = 1_000

function holding(words: Words, { isClosed, delayMs }: HostAccount): Html {
  if (isClosed) return html`<p>${words.ruleClosed}</p>`
  if (delayMs > 0) return html`<p>${words.ruleSlow} ${delayMs / SECOND_MS}</p>`
  return html`<p>${words.ruleNone}</p>`
}

function undoForm(words: Words, host: string, { id, secret }: OwnProof): Html {
  return html`<form method="post" action="/bot/undo?language=${words.language}">
    ${hidden({ id, secret, host })} <button>${words.undo}: ${host}</button>
  </form>`
}

function deciding(words: Words, view: ProofView, { id, secret }: OwnProof): Html {
  const patterns = patternsOf(view.host, view.provenBy!)
  const options = patterns.map((pattern) => html`<option>${pattern}</option>`)
  const choice = (name: string): Html =>
    html`<label for="${name}">${words.about}</label>
      <select id="${name}" name="host">
        ${options}
      </select>`
  return html`<h2>${words.slow}</h2>
    <form method="post" action="/bot/rule?language=${words.language}">
      ${hidden({ id, secret, effect: 'slow' })} ${choice('slow-host')}
      <label for="delay">${words.slowField}</label>
      <input id="delay" name="delayS" type="number" min="1" max="86400" value="30" required />
      <button>${words.slow}</button>
    </form>
    <h2>${words.stop}</h2>
    <p>${words.stopText}</p>
    <form method="post" action="/bot/rule?language=${words.language}">
      ${hidden({ id, secret, effect: 'stop' })} ${choice('stop-host')}
      <button>${words.stop}</button>
    </form>`
}

function askedTable(words: Words, { days }: HostAccount): Html {
  if (days.length === 0) return html`<p>${words.nothingAsked}</p>`
  const rows = days.map(({ day, responses, errors, bytes }) => {
    const date = new Date(day).toISOString().slice(0, 10)
    return html`<tr>
      <td>${date}</td>
      <td>${responses}</td>
      <td>${errors}</td>
      <td>${bytes}</td>
    </tr>`
  })
  return html`<div class="wide" tabindex="0" role="region" aria-label="${words.askedTitle}">
    <table>
      <thead>
        <tr>
          <th scope="col">${words.day}</th>
          <th scope="col">${words.responses}</th>
          <th scope="col">${words.errors}</th>
          <th scope="col">${words.bytes}</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`
}
