// Goal: errors of a database server are classified by what can be done about them. Method: errors
// as its driver makes them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseError } from 'pg'
import { fromPostgresError } from './postgres-errors.ts'

function saidBy(code: string, severity: string): DatabaseError {
  const error = new DatabaseError('could not write init file', 0, 'error')
  return Object.assign(error, { code, severity })
}

const codeOf = (error: unknown): unknown =>
  (fromPostgresError(error) as { code?: string } | null)?.code

test('a session that the server ended may be tried again, whatever the reason is called', () => {
  assert.equal(codeOf(saidBy('XX000', 'FATAL')), 'MINGA_STORE_UNAVAILABLE')
  assert.equal(codeOf(saidBy('XX000', 'PANIC')), 'MINGA_STORE_UNAVAILABLE')
})

test('a full disk, damage and broken rules keep their own names', () => {
  assert.equal(codeOf(saidBy('53100', 'FATAL')), 'MINGA_DISK_FULL')
  assert.equal(codeOf(saidBy('XX001', 'ERROR')), 'MINGA_STORE_DAMAGED')
  assert.equal(codeOf(saidBy('23505', 'ERROR')), 'MINGA_CONSTRAINT_BROKEN')
})

test('an error of a statement that is none of these stays what it is', () => {
  const error = saidBy('42601', 'ERROR')
  assert.equal(fromPostgresError(error), error)
})
