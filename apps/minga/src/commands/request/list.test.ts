// Goal: lists as people and programs write them. Method: examples.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listedUrls } from './list.ts'

test('a list is read line by line, whatever ends its lines and begins its file', () => {
  const list = '\uFEFFhttp://a.test/\r\n  http://b.test/x y \r# a remark\n\n\thttp://c.test/#part\n'
  assert.deepEqual(listedUrls(list), ['http://a.test/', 'http://b.test/x y', 'http://c.test/#part'])
  assert.deepEqual(listedUrls(''), [])
})
