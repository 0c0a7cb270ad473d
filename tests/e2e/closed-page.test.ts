// Goal: a station that is open to the network shows nothing to strangers, and everything to who is logged in.
// Method: a real station with a certificate of its own that listens on all addresses, and Debian's Chromium.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { axeFindings, skipWithoutChromium } from './page-station.ts'
import { startTabs, type Tabs } from './page-tabs.ts'

const PASSWORD = 'seven llamas cross the river'

const noOpenssl = spawnSync('openssl', ['version']).error ? 'openssl is not installed' : false
const skip = skipWithoutChromium || noOpenssl
/** Longer than a page waits before it opens a lost stream again. */
const SILENCE_MS = 4_000

describe('the page of a closed station', { skip }, () => {
  let tabs: Tabs
  let stranger: Page
  let operator: Page
  let folder: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'minga-closed-'))
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
    const options = '-x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -keyout'.split(' ')
    execFileSync('openssl', ['req', ...options, key, '-out', cert], { stdio: 'ignore' })
    const listen = ['--listen', '0.0.0.0', '--tls-cert', cert, '--tls-key', key]
    tabs = await startTabs('--no-agent', ...listen)
    stranger = await visit('/')
    operator = await visit('/', true)
  })
  after(async () => {
    await tabs?.end()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  const visit = (path: string, withKey = false): Promise<Page> =>
    tabs.visit(path, { withKey, ignoreHTTPSErrors: true })

  /** Requests of the stranger's page after it was asked to log in. */
  const asked: string[] = []
  let sinceMs: number

  test('a stranger is asked to log in', async () => {
    const page = stranger
    await page.getByText('Log in to continue').waitFor()
    assert.equal(await page.locator('.live-mark').count(), 0)
    assert.deepEqual(await axeFindings(page), [])
    page.on('request', (request) => asked.push(request.url()))
    sinceMs = performance.now()
  })

  test("the operator's key reads the station live, also where nothing is open", async () => {
    await operator.getByText('Live').waitFor()
    await operator.getByText('Three first steps').waitFor()
  })

  test('who gets an account from the operator logs in, reads on, and out again', async () => {
    const post = (path: string, data: object): Promise<{ link: string }> =>
      operator.evaluate(
        async ([address, bearer, body]) => {
          const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
          const response = await fetch(address!, { method: 'POST', headers, body: body! })
          return (await response.json()) as { link: string }
        },
        [`/api${path}`, tabs.station.key, JSON.stringify(data)],
      )
    await post('/accounts', { name: 'rita', roles: ['reader'] })
    const { link } = await post('/resets', { account: 'rita' })

    const page = await visit(link)
    await page.getByLabel('New password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Set the password' }).click()
    await page.getByRole('main').getByRole('link', { name: 'Log in' }).click()
    await page.getByLabel('Name', { exact: true }).fill('rita')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('main').getByRole('button', { name: 'Log in' }).click()
    await page.getByText('Live').waitFor()
    await page.getByText('Your account may not start or change collections').waitFor()
    const [cookie] = await page.context().cookies()
    assert.match(cookie!.name, /^__Host-minga_/)
    assert.deepEqual([cookie!.httpOnly, cookie!.secure, cookie!.sameSite], [true, true, 'Strict'])
    await page.reload()
    await page.getByText('Live').waitFor()
    const alone = await page.evaluate(`fetch('/api/collections').then(({ status }) => status)`)
    assert.equal(alone, 401, 'a cookie alone is worth nothing')
    await page.getByRole('link', { name: 'rita' }).click()
    await page.getByRole('button', { name: 'Log out', exact: true }).click()
    await page.getByText('Log in to continue').waitFor()
    // The browser stays known for its own tries at the password (known-browsers.ts); nothing that signs in is left.
    const left = await page.context().cookies()
    assert.deepEqual(
      left.filter(({ name }) => !name.endsWith('_known')),
      [],
    )
  })

  test("a stranger's page does not ask for a stream again and again", async () => {
    await stranger.waitForTimeout(Math.max(0, sinceMs + SILENCE_MS - performance.now()))
    assert.deepEqual(asked, [])
  })
})
