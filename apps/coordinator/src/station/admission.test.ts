// Goal: the same address is judged by one table, whatever brings it. Method: an address that is refused for each
// reason, brought for each purpose.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filterIn } from '@minga/frontier'
import { admit, createLinkAdmission, type Origin, type Purpose } from './admission.ts'

const ATTACK = 'http://shop.test/?id=1%20union%20select%20password%20from%20users'
const INSIDE = 'http://169.254.169.254/latest/'
const guard = { allowPrivateAddresses: false }
const nothing = filterIn(JSON.stringify({ rules: [], otherwise: 'deny' }))!

const PURPOSES: readonly Purpose[] = [
  'seed',
  'link',
  'request',
  'monitor',
  'watch',
  'harvest',
  'wikiStep',
  'received',
  'sitemap',
]

/** For which purposes an address is refused with a code. */
function refusedFor(url: string, origin: Origin = {}, filters = [] as (typeof nothing)[]) {
  const codes = PURPOSES.map(
    (purpose) => [purpose, admit(url, purpose, { guard, filters }, origin).refusal?.code] as const,
  )
  return codes.filter(([, code]) => code !== undefined)
}

const refusals = (code: string, purposes: readonly Purpose[]) =>
  purposes.map((purpose) => [purpose, code])

test('the address guard holds for everything', () => {
  assert.deepEqual(refusedFor(INSIDE), refusals('MINGA_ADDRESS_REFUSED', PURPOSES))
})

test('an attack is refused unless an operator or its own site brings it', () => {
  const code = 'MINGA_ABUSE_INJECTION'
  const always: Purpose[] = ['request', 'monitor', 'received']
  const own: Origin = { isOperator: true, page: 'http://shop.test' }
  assert.deepEqual(refusedFor(ATTACK, own), refusals(code, always))
  const all: Purpose[] = ['seed', 'link', 'request', 'monitor', 'watch', 'received']
  assert.deepEqual(refusedFor(ATTACK, { page: 'http://else.test' }), refusals(code, all))
})

test('filters apply to addresses that no user named and to those that another user pays for', () => {
  const filtered: Purpose[] = ['seed', 'link', 'request', 'sitemap']
  const refused = refusedFor('http://a.test/', {}, [nothing])
  assert.deepEqual(refused, refusals('MINGA_FILTERED', filtered))
})

test('what is no address has no refusal and no URL', () => {
  assert.deepEqual(admit('mailto:a@b.test', 'seed', { guard }), { url: null, refusal: null })
})

test('one verdict of the guard serves all links of an origin, but not those with credentials', () => {
  const find = createLinkAdmission(guard)
  const page = 'http://a.test'
  assert.equal(find('http://b.test/', page), null)
  assert.equal(find('http://user@b.test/', page)?.code, 'MINGA_ADDRESS_REFUSED')
  assert.equal(find('http://b.test/2', page), null)
  assert.equal(find(ATTACK, page)?.code, 'MINGA_ABUSE_INJECTION')
  assert.equal(find(ATTACK, 'http://shop.test'), null)
})
