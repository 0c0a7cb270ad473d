// Goal: a record that is unpacked off the main thread equals the one that is unpacked on it, and is
// refused for the same reasons. Method: whole, cut, changed, doubled and expanding members, read
// both ways; turns of the loop are counted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { UnreadableRecord } from './errors.ts'
import { decodeMember, unpackMember } from './one-member.ts'
import { encodeRecord } from './warc-record.ts'

const LIMIT_BYTES = 100 * 1024 * 1024

const memberOf = (block: Buffer): Buffer =>
  encodeRecord({
    type: 'response',
    headers: [['WARC-Target-URI', 'http://a.test/']],
    block: [block],
  })

const whole = memberOf(Buffer.from('HTTP/1.1 200 OK\r\n\r\nhello'))
const large = memberOf(Buffer.alloc(80 * 1024 * 1024))

test('a member reads the same off the main thread as on it', async () => {
  for (const member of [whole, memberOf(Buffer.alloc(3_000_000, 'many words '))]) {
    const [here, there] = [decodeMember(member), await unpackMember(member, LIMIT_BYTES)]
    assert.deepEqual(there.block, here.block)
    assert.equal(there.headers.uri('WARC-Target-URI'), 'http://a.test/')
    assert.equal(there.type, here.type)
  }
})

test('what is no whole record, or unpacks to more than it may, is refused either way', async () => {
  const changed = Buffer.from(whole)
  changed[changed.length - 6]! ^= 1
  for (const member of [
    whole.subarray(0, 40),
    whole.subarray(0, whole.length - 3),
    changed,
    Buffer.concat([whole, whole]),
    Buffer.concat([whole, Buffer.from('abc')]),
    gzipSync('hello'),
    Buffer.from('no gzip'),
    Buffer.alloc(0),
  ]) {
    assert.throws(() => decodeMember(member, LIMIT_BYTES), UnreadableRecord)
    await assert.rejects(unpackMember(member, LIMIT_BYTES), UnreadableRecord)
  }
  assert.throws(() => decodeMember(large, 1_000_000), UnreadableRecord)
  await assert.rejects(unpackMember(large, 1_000_000), UnreadableRecord)
})

test('while a large member is unpacked, the main loop has its turns', async () => {
  let turns = 0
  let isOver = false
  const turn = (): void => {
    turns += 1
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  const { block } = await unpackMember(large, LIMIT_BYTES)
  isOver = true
  assert.equal(block.length, 80 * 1024 * 1024)
  assert.ok(turns > 20, `${turns} turns`)
})
