// Goal: a redirect leads where Chromium goes. Method: the bytes of Location fields, as a fetch gives them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redirectTarget } from './redirect-target.ts'

const latin1 = (text: string, charset: BufferEncoding): string =>
  Buffer.from(text, charset).toString('latin1')

test('bytes outside ASCII are escaped as they came, whatever charset the server meant', () => {
  const leads = (location: string): string | null => redirectTarget('http://a.test/dir/', location)
  assert.equal(leads(latin1('/café?q=é', 'utf8')), 'http://a.test/caf%C3%A9?q=%C3%A9')
  assert.equal(leads(latin1('/café?q=é', 'latin1')), 'http://a.test/caf%E9?q=%E9')
  assert.equal(leads('caf%C3%A9'), 'http://a.test/dir/caf%C3%A9')
  assert.equal(leads(latin1('https://bücher.test/', 'utf8')), 'https://xn--bcher-kva.test/')
  assert.equal(leads('mailto:a@b.test'), null)
  assert.equal(redirectTarget('http://a.test/', null), null)
})
