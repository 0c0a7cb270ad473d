/** Every address that this machine fetched: the newest page by itself, older ones when asked for. */
import { bytes, moment, number } from './amounts.js'
import { call } from './calls.js'
import { word } from './words.js'

const part = (id) => document.getElementById(id)

const LINES = 50

let host = ''
/** The number before which the shown page begins; null: the newest page, which follows by itself. */
let before = null
let shown = []
/** Answers may overtake each other: only the last question's counts. */
let asked = 0

export function startActivity() {
  part('activity-filter').addEventListener('submit', (event) => {
    event.preventDefault()
    host = part('activity-host').value.trim()
    const query = host === '' ? '' : `?host=${encodeURIComponent(host)}`
    part('activity-download').href = `/api/activity.jsonl${query}`
    void load(null)
  })
  part('activity-newest').addEventListener('click', () => void load(null))
  part('activity-older').addEventListener('click', () => void load(shown.at(-1)?.no ?? null))
  void load(null)
}

/** Called with every view: while the newest page is shown it grows, an older one stays. */
export function refreshActivity() {
  if (before === null) void load(null)
}

async function load(from) {
  const query = new URLSearchParams({ limit: String(LINES) })
  before = from
  const mine = ++asked
  if (from !== null) query.set('before', String(from))
  if (host !== '') query.set('host', host)
  try {
    const lines = await call('GET', `/api/activity?${query}`)
    if (mine !== asked) return
    const isSame = lines.length === shown.length && lines[0]?.no === shown[0]?.no
    shown = lines
    part('activity-notice').textContent = ''
    if (!isSame) showActivity()
  } catch (error) {
    // The end of the agent is shown above; only its own refusals are new here.
    part('activity-notice').textContent = error instanceof TypeError ? '' : error.message
  }
}

export function showActivity() {
  part('activity-empty').hidden = shown.length > 0
  part('activity-older').disabled = shown.length < LINES
  part('activity-newest').disabled = before === null
  part('activity-rows').replaceChildren(...shown.map(rowOf))
}

function rowOf({ at, url, status, code, bytes: size, ms }) {
  const row = document.createElement('tr')
  row.append(
    cell(moment(at)),
    cell(url),
    cell(status === null ? (code ?? '–') : String(status)),
    cell(bytes(size), 'number'),
    cell(word('seconds', { n: number(ms / 1000, 3) }), 'number'),
  )
  return row
}

function cell(text, className = '') {
  const element = document.createElement('td')
  element.textContent = text
  element.className = className
  return element
}
