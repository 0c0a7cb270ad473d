// Goal: people and programs get in with what is theirs, and with nothing else. Method: the whole
// server over a real store, called as pages, programs and guessers call it.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../../packages/store/test/contract-engines.ts'
import { assertRefused, TOKENS } from '../../test/station-fixture.ts'
import { openPeople, PASSWORD, People } from '../../test/accounts/people-fixture.ts'

const URLS = { urls: ['http://a.test/'] }
const DAY_MS = 86_400_000

for (const engine of ENGINES) {
  describe(`The API of accounts on ${engine.name}`, { skip: engine.skip }, async () => {
    const people = await openPeople({ engine })

    test('User registration, token: who registers logs in and gets a key shown once', async () => {
      const body = { name: 'Rosa', password: PASSWORD }
      const rosa = await people.ok<{ id: string; roles: string[] }>(null, 'POST', '/accounts', body)
      assert.deepEqual(rosa.roles, ['reader', 'volunteer'])
      const token = await people.logIn('rosa')
      const me = await people.ok<{ account: object; via: string }>(token, 'GET', '/me')
      assert.deepEqual([me.account, me.via], [{ ...rosa }, 'session'])
      const [one, two] = [await people.key(token), await people.key(token)]
      assert.match(one.secret, /^minga_key_[\w-]{43}$/)
      assert.notEqual(one.secret, two.secret)
      assert.match(one.key.id, /^key_[0-9a-f]{20}$/)
      const listed = await people.ok<object[]>(token, 'GET', '/keys')
      assert.equal(listed.length, 2)
      assert.ok(!JSON.stringify(listed).includes(one.secret))
      assertRefused(
        await people.call(null, 'POST', '/accounts', { ...body, name: 'ROSA' }),
        '409 MINGA_NAME_TAKEN',
        /"ROSA" is taken by another account. Choose another/,
      )
    })

    test('Client credentials: requests are taken with a key, not without, not with a revoked one', async () => {
      const client = await people.person('credentials', 'client')
      const budget = { micros: 1_000_000 }
      await people.ok(TOKENS.apiKey, 'POST', `/accounts/${client.id}/top-up`, budget)
      const { key, secret } = await people.key(client.token)
      const send = (shown: string | null) => people.outcome(shown, 'POST', '/batches', URLS)
      assert.equal(await send(null), '401 MINGA_NOT_ALLOWED')
      assert.equal(await send('minga_key_invented'), '401 MINGA_NOT_ALLOWED')
      assert.equal(await send(secret), '200')
      assert.equal((await people.ok<object[]>(secret, 'GET', '/batches')).length, 1)
      await people.ok(client.token, 'DELETE', `/keys/${key.id}`)
      assert.equal(await send(secret), '401 MINGA_KEY_REVOKED')
      assert.equal(await people.outcome(secret, 'GET', '/batches'), '401 MINGA_KEY_REVOKED')
    })

    test('a client sees its own batches only', async () => {
      const [ana, ben] = [
        await people.person('batches.ana', 'client'),
        await people.person('batches.ben', 'client'),
      ]
      await people.ok(TOKENS.apiKey, 'POST', `/accounts/${ana.id}/top-up`, { micros: 1_000_000 })
      const { id } = await people.ok<{ id: string }>(ana.token, 'POST', '/batches', URLS)
      assert.deepEqual(await people.ok(ben.token, 'GET', '/batches'), [])
      for (const path of [`/batches/${id}`, `/batches/${id}/results`]) {
        assert.equal(await people.outcome(ben.token, 'GET', path), '404 MINGA_NO_SUCH_BATCH')
      }
      const cancel = `/batches/${id}/cancel`
      assert.equal(await people.outcome(ben.token, 'POST', cancel), '404 MINGA_NO_SUCH_BATCH')
    })

    test('a key does what its scopes name and its account may, no more', async () => {
      const { id, token } = await people.person('scoped', 'client', 'collector')
      const { secret } = await people.key(token, ['requests:read', 'keys:write'])
      assert.equal(await people.outcome(secret, 'GET', '/batches'), '200')
      assert.equal(await people.outcome(secret, 'POST', '/batches', URLS), '403 MINGA_FORBIDDEN')
      const me = await people.ok<{ actions: string[] }>(secret, 'GET', '/me')
      assert.deepEqual(me.actions, ['requests:read', 'keys:write'])
      const wider = { name: 'wider', scopes: ['requests:send'] }
      assert.equal(await people.outcome(secret, 'POST', '/keys', wider), '403 MINGA_BAD_SCOPE')
      const beyond = { name: 'beyond', scopes: ['accounts:write'] }
      assert.equal(await people.outcome(token, 'POST', '/keys', beyond), '403 MINGA_BAD_SCOPE')
      const unsaid = await people.ok<{ key: { scopes: string[] } }>(secret, 'POST', '/keys', {
        name: 'unsaid',
      })
      assert.deepEqual(unsaid.key.scopes, ['requests:read', 'keys:write'])
      await people.ok(TOKENS.apiKey, 'POST', `/accounts/${id}/roles`, { roles: ['reader'] })
      assert.equal(await people.outcome(secret, 'GET', '/batches'), '403 MINGA_FORBIDDEN')
    })

    test('a key reaches neither sessions nor every right, and none that ends makes one that lasts', async () => {
      const { token } = await people.person('lasting', 'client')
      const { secret } = await people.key(token, ['requests:read'])
      for (const method of ['GET', 'DELETE'] as const) {
        assert.equal(await people.outcome(secret, method, '/sessions'), '403 MINGA_FORBIDDEN')
      }
      assert.equal(await people.outcome(token, 'GET', '/sessions'), '200')
      for (const scope of ['accounts:write', 'resets:make']) {
        const key = { name: 'every right', scopes: [scope] }
        const said = await people.outcome(TOKENS.apiKey, 'POST', '/keys', key)
        assert.equal(said, '403 MINGA_BAD_SCOPE')
      }
      type Made = { secret: string; key: { expiresAt: number | null } }
      const make = (shown: string, lifetimeS: number | null) =>
        people.ok<Made>(shown, 'POST', '/keys', { name: 'heir', lifetimeS })
      const brief = await make(token, 60)
      for (const lifetimeS of [null, 3_600]) {
        const heir = await make(brief.secret, lifetimeS)
        assert.equal(heir.key.expiresAt, brief.key.expiresAt)
      }
      assert.equal((await make(token, null)).key.expiresAt, null)
    })

    test('a rotated key works through its grace, then says which one replaced it', async () => {
      const { token } = await people.person('rotating', 'client')
      const old = await people.key(token)
      const path = `/keys/${old.key.id}/rotate`
      const made = await people.ok<{ secret: string; key: { id: string } }>(token, 'POST', path, {
        graceS: 60,
      })
      assert.equal(await people.outcome(old.secret, 'GET', '/batches'), '200')
      assert.equal(await people.outcome(made.secret, 'GET', '/batches'), '200')
      await people.station.clock.advance(60_000)
      assertRefused(
        await people.call(old.secret, 'GET', '/batches'),
        '401 MINGA_KEY_EXPIRED',
        new RegExp(`replaced by ${made.key.id}`),
      )
      assert.equal(await people.outcome(made.secret, 'GET', '/batches'), '200')
    })

    test('a reset link opens the account once, with a new password, and ends its sessions', async () => {
      const { token } = await people.person('forgetful', 'reader')
      const reset = await people.ok<{ link: string; token: string }>(
        TOKENS.apiKey,
        'POST',
        '/resets',
        { account: 'Forgetful' },
      )
      assert.equal(reset.link, `http://localhost/reset#${reset.token}`)
      const use = (password: string) =>
        people.outcome(null, 'POST', '/resets/use', { token: reset.token, password })
      assert.equal(await use('short'), '400 MINGA_WEAK_PASSWORD')
      const race = await Promise.all([use('quinoa llama one'), use('quinoa llama two')])
      assert.deepEqual(race.toSorted(), ['200', '400 MINGA_RESET_INVALID'])
      assert.equal(await use('quinoa llama three'), '400 MINGA_RESET_INVALID')
      assert.equal(await people.outcome(token, 'GET', '/me'), '401 MINGA_NOT_ALLOWED')
      const won = race[0] === '200' ? 'quinoa llama one' : 'quinoa llama two'
      await people.logIn('forgetful', won)
    })

    test('a session ends by logging out, by a new password elsewhere and by age', async () => {
      const { token: first } = await people.person('leaving', 'reader')
      const [second, third] = [await people.logIn('leaving'), await people.logIn('leaving')]
      const me = (token: string) => people.outcome(token, 'GET', '/me')
      assert.equal(await me(first), '200')
      await people.ok(first, 'DELETE', '/sessions')
      assert.deepEqual([await me(first), await me(second)], ['401 MINGA_NOT_ALLOWED', '200'])
      const change = { current: PASSWORD, next: 'another llama quinoa' }
      await people.ok(second, 'POST', '/me/password', change)
      assert.deepEqual([await me(second), await me(third)], ['200', '401 MINGA_NOT_ALLOWED'])
      const wrong = { name: 'leaving', password: PASSWORD }
      assert.equal(await people.outcome(null, 'POST', '/sessions', wrong), '401 MINGA_BAD_LOGIN')
      await people.station.clock.advance(14 * DAY_MS)
      assert.equal(await me(second), '401 MINGA_NOT_ALLOWED')
    })

    test('quotas and money are set by who answers for them, and a lost answer counts once', async () => {
      const client = await people.person('budgeted', 'client')
      const owner = await people.person('director', 'owner')
      const quota = { openMax: 1, dayMax: null }
      const path = `/accounts/${client.id}`
      const refused = await people.outcome(client.token, 'POST', `${path}/quota`, quota)
      assert.equal(refused, '403 MINGA_FORBIDDEN')
      await people.ok(owner.token, 'POST', `${path}/quota`, quota)
      const shown = { authorization: `Bearer ${owner.token}`, 'idempotency-key': 'again' }
      for (let tries = 0; tries < 2; tries++) {
        await people.ok(shown, 'POST', `${path}/top-up`, { micros: 5_000_000, note: 'May' })
      }
      const [account] = await people.station.store.call('balancesOf', {
        accounts: [`client:${client.id}`],
      })
      assert.equal(account!.balanceMicros, 5_000_000)
      const two = { urls: ['http://a.test/', 'http://b.test/'] }
      const over = await people.outcome(client.token, 'POST', '/batches', two)
      assert.equal(over, '429 MINGA_QUOTA_EXCEEDED')
      const nobody = await people.outcome(owner.token, 'POST', '/accounts/acct_0/quota', quota)
      assert.equal(nobody, '404 MINGA_NO_SUCH_ACCOUNT')
    })

    test('a volunteer invites one device at a time, an operator also trusted ones', async () => {
      const ana = await people.person('inviting.ana', 'volunteer')
      const ben = await people.person('inviting.ben', 'volunteer')
      const made = await people.ok<{ id: string; token: string }>(ana.token, 'POST', '/join-tokens')
      assert.match(made.token, /^minga_join_[\w-]{43}$/)
      for (const kind of [{ isTrusted: true }, { isReusable: true }]) {
        const outcome = await people.outcome(ana.token, 'POST', '/join-tokens', kind)
        assert.equal(outcome, '403 MINGA_FORBIDDEN')
        await people.ok(TOKENS.apiKey, 'POST', '/join-tokens', kind)
      }
      const path = `/join-tokens/${made.id}`
      assert.match(await people.outcome(ben.token, 'DELETE', path), /^404 /)
      assert.deepEqual(await people.ok(ben.token, 'GET', '/join-tokens'), [])
      await people.ok(ana.token, 'DELETE', path)
      const listed = await people.ok<{ id: string }[]>(ana.token, 'GET', '/join-tokens')
      assert.deepEqual(
        listed.map(({ id }) => id),
        [made.id],
      )
    })
  })
}

describe('Accounts and guessers', async () => {
  const people = await openPeople({ registration: 'operator' })

  test('an unknown name and a wrong password look alike', async () => {
    await people.account('known', ['reader'])
    const said = await Promise.all(
      ['known', 'unknown', 'operator'].map((name) =>
        people.call(null, 'POST', '/sessions', { name, password: 'a guess or two' }),
      ),
    )
    assertRefused(said[0]!, '401 MINGA_BAD_LOGIN', /The name or the password is wrong/)
    assert.deepEqual(said[1], said[0])
    assert.deepEqual(said[2], said[0])
  })

  test('the eleventh wrong password waits a minute, for names that exist and others', async () => {
    const own = await openPeople()
    await own.account('guessed', ['reader'])
    for (const name of ['guessed', 'invented']) {
      const guess = () =>
        own.outcome(null, 'POST', '/sessions', { name, password: 'a guess or two' })
      for (let tries = 0; tries < 10; tries++) assert.equal(await guess(), '401 MINGA_BAD_LOGIN')
      assert.equal(await guess(), '429 MINGA_RATE_LIMITED')
    }
    const response = await own.station.app.inject({
      method: 'POST',
      url: '/api/sessions',
      headers: { host: 'localhost' },
      payload: { name: 'guessed', password: PASSWORD },
    })
    assert.deepEqual([response.statusCode, response.headers['retry-after']], [429, '60'])
    await own.station.clock.advance(60_000)
    await own.logIn('guessed')
    // Right passwords do not count.
    for (let tries = 0; tries < 5; tries++) await own.logIn('GUESSED')
  })

  test('one address tries thirty names, then waits', async () => {
    const own = await openPeople()
    const outcomes = new Set<string>()
    for (let i = 0; i < 30; i++) {
      const login = { name: `name${i}`, password: 'a guess or two' }
      outcomes.add(await own.outcome(null, 'POST', '/sessions', login))
    }
    assert.deepEqual([...outcomes], ['401 MINGA_BAD_LOGIN'])
    const last = { name: 'name31', password: 'a guess or two' }
    assert.equal(await own.outcome(null, 'POST', '/sessions', last), '429 MINGA_RATE_LIMITED')
  })

  test('registrations and tried reset links are limited per address', async () => {
    const own = await openPeople()
    const register = (i: number) =>
      own.outcome(null, 'POST', '/accounts', { name: `new${i}`, password: PASSWORD })
    for (let i = 0; i < 5; i++) assert.equal(await register(i), '200')
    assert.equal(await register(5), '429 MINGA_RATE_LIMITED')
    const use = () =>
      own.outcome(null, 'POST', '/resets/use', { token: 'minga_reset_x', password: PASSWORD })
    for (let i = 0; i < 10; i++) assert.equal(await use(), '400 MINGA_RESET_INVALID')
    assert.equal(await use(), '429 MINGA_RATE_LIMITED')
  })

  test('where only an operator registers, others are refused; no user can give themselves a role', async () => {
    const open = await openPeople({ registration: 'open' })
    const body = { name: 'pushy', password: PASSWORD }
    const { token } = await people.person('member', 'client')
    const tried = (on: People, shown: string | null, more: object = {}) =>
      on.outcome(shown, 'POST', '/accounts', { ...body, ...more })
    assert.equal(await tried(people, null), '401 MINGA_NOT_ALLOWED')
    assert.equal(await tried(people, token), '403 MINGA_FORBIDDEN')
    assert.equal(await tried(open, null, { roles: ['operator'] }), '401 MINGA_NOT_ALLOWED')
    assert.equal(await tried(open, null, { password: null }), '401 MINGA_NOT_ALLOWED')
    assert.equal(await tried(people, TOKENS.apiKey, { roles: ['operator'] }), '200')
  })

  test('names and bodies that are no accounts are refused by field', async () => {
    const names = ['', 'ab', 'a b c', '-abc', 'аna', `x${'y'.repeat(64)}`, 'a\0bc', 'DROP TABLE;']
    for (const name of names) {
      const said = await people.call(TOKENS.apiKey, 'POST', '/accounts', { name })
      assertRefused(said, '400 MINGA_BAD_MESSAGE', /name: must be 3 to 64/)
    }
    const bad: [path: string, body: object, field: RegExp][] = [
      ['/accounts', { name: 'right', roles: ['king'] }, /roles\.0: /],
      ['/sessions', { name: 'right', password: 'x'.repeat(10_001) }, /password: /],
      ['/keys', { name: 'a\nb' }, /name: must not contain control/],
      ['/keys', { name: 'x', scopes: ['everything'] }, /scopes\.0: /],
      ['/keys', { name: 'x', lifetimeS: 0 }, /lifetimeS: /],
      ['/accounts/operator/quota', { openMax: -1, dayMax: 0 }, /openMax: /],
      ['/accounts/operator/top-up', { micros: 0.5 }, /micros: /],
      ['/accounts/operator/roles', { roles: 'operator' }, /roles: /],
    ]
    for (const [path, body, field] of bad) {
      const said = await people.call(TOKENS.apiKey, 'POST', path, body)
      assertRefused(said, '400 MINGA_BAD_MESSAGE', field)
    }
    const none = await people.outcome(TOKENS.apiKey, 'POST', '/accounts/operator/roles', {
      roles: [],
    })
    assert.equal(none, '409 MINGA_OPERATOR_STAYS')
  })

  test('a password is not changed with a key, and not without the old one', async () => {
    const { token } = await people.person('careful', 'reader')
    const { secret } = await people.key(token)
    const change = { current: PASSWORD, next: 'another llama quinoa' }
    assertRefused(
      await people.call(secret, 'POST', '/me/password', change),
      '403 MINGA_FORBIDDEN',
      /cannot be done with an API key. Log in/,
    )
    const wrong = { ...change, current: 'not the password' }
    assert.equal(await people.outcome(token, 'POST', '/me/password', wrong), '401 MINGA_BAD_LOGIN')
  })
})
