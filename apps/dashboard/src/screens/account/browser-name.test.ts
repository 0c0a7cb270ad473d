// Goal: people recognise their browsers. Method: what browsers and programs send, and invalid values.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserName } from './browser-name.ts'

test('browsers and programs are named as their owners know them', () => {
  const known: [client: string | null, name: string | null][] = [
    [
      'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      'Firefox 140 · Linux',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36 Edg/138.0.0.0',
      'Edge 138 · Windows',
    ],
    [
      'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Mobile Safari/537.36',
      'Chrome 137 · Android',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
      'Safari 18 · iOS',
    ],
    ['curl/8.5.0', 'curl/8.5.0'],
    ['  ', null],
    [null, null],
    ['x'.repeat(500), 'x'.repeat(60)],
  ]
  for (const [client, name] of known) assert.equal(browserName(client), name)
})
