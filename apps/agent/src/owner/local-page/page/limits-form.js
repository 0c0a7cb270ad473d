/**
 * What the owner lends, as a form: errors are shown next to the form, from this page or from the
 * agent.
 */
import { call } from './calls.js'
import { word } from './words.js'

const part = (id) => document.getElementById(id)
const MEGA = 1_000_000
const GIGA = 1_000_000_000

/** `unit`: how many of the limit's own units one of the field's is. */
const FIELDS = [
  { name: 'requestsPerSecond', kind: 'number', unit: 1, mayBeEmpty: true },
  { name: 'bytesPerSecond', kind: 'number', unit: MEGA, mayBeEmpty: true },
  { name: 'bytesPerMonth', kind: 'number', unit: GIGA, mayBeEmpty: true },
  { name: 'diskBytes', kind: 'number', unit: MEGA, mayBeEmpty: false },
  { name: 'cpuShare', kind: 'number', unit: 1, mayBeEmpty: true },
  { name: 'concurrencyMax', kind: 'number', unit: 1, mayBeEmpty: false },
  { name: 'hours', kind: 'text', hint: 'hoursHint' },
  { name: 'neverHosts', kind: 'lines', hint: 'neverHostsHint' },
  { name: 'pauseOnBattery', kind: 'check' },
  { name: 'pauseOnMetered', kind: 'check' },
]

let inForce = null
let isTouched = false

export function startLimits() {
  part('limits-fields').replaceChildren(...FIELDS.map(fieldOf))
  const form = part('limits-form')
  form.addEventListener('input', () => (isTouched = true))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void save()
  })
}

/** From the agent, until the user begins to type. */
export function showLimits(limits) {
  const text = JSON.stringify(limits)
  if (isTouched || text === inForce) return
  inForce = text
  for (const field of FIELDS) fill(part(field.name), field, limits[field.name])
}

function fieldOf(field) {
  const box = document.createElement('div')
  box.className = field.kind === 'check' ? 'field check' : 'field'
  const label = document.createElement('label')
  label.htmlFor = field.name
  label.dataset.text = field.kind === 'check' ? field.name : `limit.${field.name}`
  const input = document.createElement(field.kind === 'lines' ? 'textarea' : 'input')
  input.id = field.name
  if (field.kind === 'check') input.type = 'checkbox'
  if (field.kind === 'number') input.inputMode = 'decimal'
  input.autocomplete = 'off'
  box.append(...(field.kind === 'check' ? [input, label] : [label, input]))
  if (field.hint !== undefined) {
    const hint = document.createElement('span')
    hint.id = `${field.name}-hint`
    hint.className = 'hint'
    hint.dataset.text = field.hint
    input.setAttribute('aria-describedby', hint.id)
    box.append(hint)
  }
  return box
}

function fill(input, { kind, unit }, value) {
  if (kind === 'check') input.checked = value
  else if (kind === 'lines') input.value = value.join('\n')
  else if (kind === 'number') input.value = value === null ? '' : String(value / unit)
  else input.value = value ?? ''
}

async function save() {
  part('limits-saved').textContent = ''
  part('limits-problem').textContent = ''
  for (const { name } of FIELDS) part(name).removeAttribute('aria-invalid')
  const change = {}
  for (const field of FIELDS) {
    const problem = read(field, change)
    if (problem !== null) return complain(field.name, problem)
  }
  try {
    const limits = await call('PATCH', '/api/limits', change)
    isTouched = false
    inForce = null
    showLimits(limits)
    part('limits-saved').textContent = word('saved')
  } catch (error) {
    // The agent names the field that it cannot take.
    complain(FIELDS.find(({ name }) => error.message.includes(name))?.name, error.message)
  }
}

function read({ name, kind, unit, mayBeEmpty }, change) {
  const input = part(name)
  if (kind === 'check') change[name] = input.checked
  if (kind === 'text') change[name] = input.value.trim() || null
  if (kind === 'lines') change[name] = input.value.split(/[\s,]+/).filter((host) => host !== '')
  if (kind !== 'number') return null
  const label = word(`limit.${name}`)
  // 0,5 is how half of the readers write it.
  const text = input.value.trim().replace(',', '.')
  if (text === '') {
    change[name] = null
    return mayBeEmpty ? null : word('needed', { label })
  }
  const value = Number(text) * unit
  change[name] = unit === 1 ? value : Math.round(value)
  return Number.isFinite(value) && value > 0 ? null : word('notNumber', { label })
}

function complain(name, problem) {
  part('limits-problem').textContent = problem
  if (name === undefined) return
  part(name).setAttribute('aria-invalid', 'true')
  part(name).focus()
}
