// Goal: a real MediaWiki for tests starts, follows orders, and never outlives them. Method: one is
// started, called and stopped; another loses its parent to kill −9.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'

import { startProcess } from '../processes.ts'
import { noMediaWiki, startMediaWiki } from './mediawiki.ts'

test(
  'a real MediaWiki starts, keeps what is done to it, and leaves nothing behind',
  { skip: noMediaWiki() },
  async () => {
    const wiki = await startMediaWiki({ name: 'Small Wiki' })
    const at = '2020-01-01T00:00:00Z'
    const [made] = wiki.perform([
      { do: 'edit', title: 'Page', text: 'text', at, user: '192.0.2.1' },
    ])
    const dump = wiki.dumpBackup().toString()
    assert.match(dump, /<sitename>Small Wiki<\/sitename>/)
    assert.match(dump, new RegExp(`<id>${made?.revid}</id>\\s*<timestamp>${at}</timestamp>`))
    const answer = await fetch(`${wiki.apiUrl}?action=query&prop=info&titles=Page&format=json`)
    assert.match(await answer.text(), new RegExp(`"lastrevid":${made?.revid}`))
    assert.throws(
      () => wiki.perform([{ do: 'delete', title: 'Nothing' }]),
      /Operation 0 \(delete\)/,
    )
    wiki.configure("$wgGroupPermissions['*']['read'] = false;")
    const closed = await fetch(`${wiki.apiUrl}?action=query&meta=siteinfo&format=json`)
    assert.match(await closed.text(), /readapidenied/)
    await wiki.stop()
    assert.equal(existsSync(wiki.folder), false)
    await assert.rejects(fetch(wiki.apiUrl))
  },
)

test(
  'a real MediaWiki ends with the process that started it, even when that is killed',
  { skip: noMediaWiki() },
  async () => {
    const program = `
    import { startMediaWiki } from ${JSON.stringify(new URL('mediawiki.ts', import.meta.url).href)}
    const wiki = await startMediaWiki()
    console.log('ready ' + wiki.apiUrl)
  `
    const child = await startProcess(process.execPath, ['--input-type=module', '--eval', program])
    const [, url = ''] = await child.waitOutput(/ready (.*)$/m, 60_000)
    assert.equal((await fetch(`${url}?action=query&format=json`)).status, 200)
    child.kill9()
    await child.waitExit(10_000)
    const deadlineMs = performance.now() + 10_000
    const answers = (): Promise<boolean> =>
      fetch(url).then(
        () => true,
        () => false,
      )
    while (await answers()) assert.ok(performance.now() < deadlineMs, 'it still answers')
  },
)
