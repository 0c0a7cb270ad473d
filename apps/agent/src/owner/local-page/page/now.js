/** What the agent does at this moment, why it is idle, and how fast it has been recently. */
import { bytes, number } from './amounts.js'
import { language, word } from './words.js'

const part = (id) => document.getElementById(id)

/** Rates are taken over this long: shorter ones flicker, longer ones are late. */
const WINDOW_MS = 10_000
/** More than a person reads in a second. */
const URLS_SHOWN = 30

const past = []

export function showNow(view) {
  const card = part('condition-card')
  card.className = `condition ${view.condition}`
  // Only when it changes: a screen reader would say it every second.
  say('condition', word(`condition.${view.condition}`))
  say('why', view.why)
  part('why').lang = 'en'
  say('works-for', word('worksFor', view))
  const isPaused = view.condition === 'paused-by-owner'
  const isEnding = view.condition === 'finishing'
  part('pause').hidden = isPaused
  part('resume').hidden = !isPaused
  for (const id of ['pause', 'resume', 'finish']) part(id).disabled = isEnding
  part('stop').disabled = false
  part('message-card').hidden = view.message === null
  say('message', view.message?.text ?? '')
  showFigures(view)
  showMonth(view)
  showInFlight(view.inFlight)
}

export function showGone() {
  past.length = 0
  part('condition-card').className = 'condition gone'
  say('condition', word('gone'))
  say('why', word('goneHow'))
  part('why').lang = language
  for (const id of ['pause', 'resume', 'finish', 'stop']) part(id).disabled = true
  for (const id of ['request-rate', 'byte-rate', 'in-flight-count', 'in-hand', 'to-send']) {
    say(id, '–')
  }
  showInFlight([])
}

function say(id, text) {
  const element = part(id)
  if (element.textContent !== text) element.textContent = text
}

function showFigures(view) {
  const { requests, waitingToSend, concurrency, inHand, inFlight } = view
  const rates = ratesWith(view)
  say('request-rate', number(rates.requests, 1))
  say('byte-rate', bytes(rates.bytes))
  say(
    'in-flight-count',
    word('inFlightOf', { n: number(inFlight.length), max: number(concurrency) }),
  )
  say('in-hand', number(inHand))
  const size = bytes(waitingToSend.bytes)
  say('to-send', word('toSendIs', { n: number(waitingToSend.results), size }))
  say('captured', number(requests.captured))
  say('failed', number(requests.failed))
  say('returned', number(requests.returned))
}

function ratesWith(view) {
  const now = performance.now()
  const done = view.requests.captured + view.requests.failed
  past.push({ now, done, bytes: view.bytes.down + view.bytes.up })
  while (past[0].now < now - WINDOW_MS) past.shift()
  const first = past[0]
  const last = past.at(-1)
  const seconds = (last.now - first.now) / 1000
  if (seconds <= 0) return { requests: 0, bytes: 0 }
  return {
    requests: (last.done - first.done) / seconds,
    bytes: (last.bytes - first.bytes) / seconds,
  }
}

function showMonth({ monthBytes, limits }) {
  const limit = limits.bytesPerMonth
  const used = bytes(monthBytes)
  const bar = part('month-bar')
  bar.hidden = limit === null
  if (limit === null) {
    say('month-used', word('monthFree', { used }))
    return
  }
  say('month-used', word('monthOf', { used, limit: bytes(limit) }))
  bar.value = limit === 0 ? 1 : Math.min(1, monthBytes / limit)
}

function showInFlight(requests) {
  part('nothing-in-flight').hidden = requests.length > 0
  const items = requests.slice(0, URLS_SHOWN).map(({ url, sinceMs }) => {
    const item = document.createElement('li')
    const age = document.createElement('small')
    age.textContent = ` ${word('seconds', { n: number(sinceMs / 1000, 1) })}`
    item.append(url, age)
    return item
  })
  part('in-flight').replaceChildren(...items)
}
