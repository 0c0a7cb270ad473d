// Goal: a collection that captured nothing is never called complete. Method: the pure judgement on counts and errors.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import {
  outcomeOf,
  outcomeSql,
  problemOf,
  type EndedCollection,
  type MetError,
} from './collection-outcome.ts'

const ENDED: EndedCollection = {
  state: 'finished',
  reason: null,
  kind: 'crawl',
  isShared: false,
  pages: 12,
  captures: 14,
  failed: 0,
}

const outcome = (facts: Partial<EndedCollection>) => outcomeOf({ ...ENDED, ...facts })

test('a collection has an outcome once it is finished', () => {
  for (const state of ['running', 'paused', 'cancelled'] as const) {
    assert.equal(outcome({ state, pages: 0 }), null)
  }
  assert.equal(outcome({}), 'complete')
})

test('a crawl without a page has failed, whatever else it captured and whichever limit ended it', () => {
  assert.equal(outcome({ pages: 0, captures: 0, failed: 1 }), 'failed')
  assert.equal(outcome({ pages: 0, captures: 0 }), 'failed')
  assert.equal(outcome({ pages: 0, captures: 2 }), 'failed')
  assert.equal(outcome({ pages: 0, captures: 0, reason: 'max-time' }), 'failed')
})

test('errors and limits are outcomes of their own, and the limit is named first', () => {
  assert.equal(outcome({ failed: 3 }), 'with-errors')
  for (const reason of ['max-pages', 'max-bytes', 'max-time']) {
    assert.equal(outcome({ reason }), 'at-limit')
    assert.equal(outcome({ reason, failed: 3 }), 'at-limit')
  }
})

test('what a user stopped has not failed', () => {
  assert.equal(outcome({ reason: 'asked', pages: 0, failed: 2 }), 'stopped')
  assert.equal(outcome({ reason: 'inactive', kind: 'watch' }), 'stopped')
})

test('a watch before its first visit and the share of a station without hosts are complete', () => {
  const nothing = { pages: 0, captures: 0 }
  assert.equal(outcome({ ...nothing, kind: 'watch' }), 'complete')
  assert.equal(outcome({ ...nothing, isShared: true }), 'complete')
  assert.equal(outcome({ ...nothing, kind: 'watch', failed: 2 }), 'failed')
  assert.equal(outcome({ kind: 'watch', failed: 2 }), 'complete')
})

test('the database judges every case as the function does', () => {
  const db = new DatabaseSync(':memory:')
  after(() => db.close())
  const select = db.prepare(
    `SELECT ${outcomeSql('kind')} AS outcome FROM (SELECT ? AS state, ? AS reason, ? AS kind,
       ? AS federated, ? AS pages, ? AS captures, ? AS failed)`,
  )
  const counts = [0, 1]
  for (const state of ['finished', 'running', 'cancelled'] as const)
    for (const reason of [null, 'max-pages', 'max-bytes', 'max-time', 'asked'])
      for (const kind of ['crawl', 'watch', 'wiki', 'requests'] as const)
        for (const isShared of [false, true])
          for (const pages of counts)
            for (const captures of counts)
              for (const failed of counts) {
                const facts = { state, reason, kind, isShared, pages, captures, failed }
                const row = select.get(
                  state,
                  reason,
                  kind,
                  Number(isShared),
                  pages,
                  captures,
                  failed,
                )
                assert.equal(row?.['outcome'], outcomeOf(facts), JSON.stringify(facts))
              }
})

const met = (code: string, count: number, lastUrl: string | null = null): MetError => ({
  code,
  count,
  lastUrl,
})

test('the problem is the most frequent cause, and what a site wanted only if there is no other', () => {
  const errors = [met('MINGA_ROBOTS_DENIED', 9), met('MINGA_HTTP_500', 2), met('MINGA_TRAP', 1)]
  assert.equal(problemOf('with-errors', errors)?.code, 'MINGA_HTTP_500')
  const [denied] = errors
  assert.equal(problemOf('failed', [denied!])?.code, 'MINGA_ROBOTS_DENIED')
  assert.equal(problemOf('failed', [])?.code, 'MINGA_NO_PAGES')
  for (const other of ['complete', 'at-limit', 'stopped', null] as const) {
    assert.equal(problemOf(other, errors), null)
  }
})

test('a problem has a cause and a remedy; a refused address names the flag only where it helps', () => {
  const gone = problemOf('failed', [met('MINGA_DNS_NOT_FOUND', 1, 'https://no.test/')])
  assert.deepEqual(gone, {
    code: 'MINGA_DNS_NOT_FOUND',
    url: 'https://no.test/',
    message: 'there is no host of that name',
    remedy: 'Check the spelling of the address.',
    advice: 'check-address',
  })
  const refused = (url: string) => problemOf('failed', [met('MINGA_ADDRESS_REFUSED', 1, url)])!
  const loopback = refused('http://127.0.0.1:8080/')
  assert.match(loopback.message, /loopback/)
  assert.match(loopback.remedy, /--allow-private-addresses/)
  const port = refused('http://127.0.0.1:1/')
  assert.match(port.message, /port 1 is not allowed/)
  assert.doesNotMatch(port.remedy, /--allow/)
  // Its name leads to a private address.
  assert.equal(refused('http://intranet.test/').advice, 'allow-private')
})
