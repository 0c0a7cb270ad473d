// Goal: what people type becomes an alert that the station accepts, or an error. Method: forms
// by hand, judged by the station's own schema.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alertRequest } from '@minga/protocol'
import { alertAsked, alertProblemsOf, emptyAlert, type AlertTyped } from './watch-alerts-form.ts'

const PLACE = { watchId: 4, zone: 'America/Lima' }
const typed = (part: Partial<AlertTyped>): AlertTyped => ({ ...emptyAlert('pt-BR'), ...part })

test('a filled form becomes an alert that the station takes', () => {
  const form = typed({
    channel: 'webhook',
    target: ' example.org/hook ',
    least: '2,5',
    failures: '3',
    tellsBack: true,
    quietFrom: '22:00',
    quietTo: '07:00',
    digest: 'weekly',
  })
  assert.deepEqual(alertProblemsOf(form), {})
  const asked = alertRequest.parse(alertAsked(form, PLACE))
  assert.equal(asked.target, 'https://example.org/hook')
  assert.deepEqual(
    [asked.leastMagnitude, asked.failuresInRow, asked.language, asked.digestDay, asked.watchId],
    [0.025, 3, 'pt', 1, 4],
  )
  assert.deepEqual(asked.quiet, { from: '22:00', to: '07:00' })
})

test('a feed needs no address and has no hours', () => {
  const hours = { digest: 'daily', quietFrom: '22:00', quietTo: '07:00' } as const
  const form = typed({ channel: 'feed', language: 'es', ...hours })
  assert.deepEqual(alertProblemsOf(form), {})
  const asked = alertRequest.parse(alertAsked(form, { ...PLACE, watchId: null }))
  assert.deepEqual(
    [asked.quiet, asked.digest, asked.target, asked.language],
    [null, 'at-once', '', 'es'],
  )
})

test("messages are in the form's language as long as none is chosen, and in the station's where it has none", () => {
  assert.deepEqual(
    ['es-AR', 'en', 'de'].map((language) => emptyAlert(language).language),
    ['es', 'en', ''],
  )
  assert.ok(!('language' in alertAsked({ ...emptyAlert('de'), target: 'a@b.test' }, PLACE)))
})

test('invalid values are reported at their field', () => {
  const wrong: [Partial<AlertTyped>, string][] = [
    [{}, 'target'],
    [{ target: 'a@b.test', least: '101' }, 'least'],
    [{ target: 'a@b.test', failures: '1.5' }, 'failures'],
    [{ target: 'a@b.test', quietFrom: '22:00' }, 'quiet'],
    [{ target: 'a@b.test', quietFrom: '22', quietTo: '07:00' }, 'quiet'],
    [{ target: 'a@b.test', digestHour: '24' }, 'digestHour'],
    [{ target: 'a@b.test', changes: 'none' }, 'nothing'],
  ]
  for (const [part, field] of wrong) {
    assert.deepEqual(alertProblemsOf(typed(part)), { [field]: true }, field)
  }
})
