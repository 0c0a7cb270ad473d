// Goal: a station that is open to the network shows nothing to strangers, and everything to a session's cookie.
// Method: a real station with a certificate of its own that listens on all addresses, and Debian's Chromium.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import {
  buildPage,
  hasChromium,
  launchBrowser,
  seriousFindings,
  startStation,
  type Station,
} from './page-station.ts'

/** Generous: it is only spent when something is broken. */
const PATIENCE_MS = 60_000
const PASSWORD = 'seven llamas cross the river'

const noOpenssl = spawnSync('openssl', ['version']).error ? 'openssl is not installed' : false
const skip = hasChromium ? noOpenssl : 'Chromium is not installed'

describe('the page of a closed station', { skip }, () => {
  let station: Station
  let browser: Browser
  let folder: string

  before(async () => {
    await buildPage()
    folder = await mkdtemp(join(tmpdir(), 'minga-closed-'))
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
    const options = '-x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -keyout'.split(' ')
    execFileSync('openssl', ['req', ...options, key, '-out', cert], { stdio: 'ignore' })
    const listen = ['--listen', '0.0.0.0', '--tls-cert', cert, '--tls-key', key]
    station = await startStation('--no-agent', ...listen)
    browser = await launchBrowser()
  })
  after(async () => {
    await browser?.close()
    await station?.stop()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  async function visit(address: string): Promise<Page> {
    const context = await browser.newContext({ locale: 'en', ignoreHTTPSErrors: true })
    context.setDefaultTimeout(PATIENCE_MS)
    const page = await context.newPage()
    await page.goto(address)
    await page.locator('main h1').first().waitFor({ state: 'attached' })
    return page
  }

  test('a stranger is asked to log in, and a stream is not asked for again and again', async () => {
    const page = await visit(station.url)
    await page.getByText('This is for people whom the station knows').waitFor()
    assert.equal(await page.locator('.live-mark').count(), 0)
    assert.deepEqual(await seriousFindings(page), [])
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.waitForTimeout(4_000)
    assert.deepEqual(asked, [])
    await page.context().close()
  })

  test("the operator's key reads the station live, also where nothing is open", async () => {
    const page = await visit(station.urlWithKey)
    await page.getByText('Live').waitFor()
    await page.getByText('Three steps to the first one').waitFor()
    await page.context().close()
  })

  test('who gets an account from the operator logs in, reads on by the cookie, and out again', async () => {
    const key = station.urlWithKey.split('#key=')[1]!
    const operator = await visit(station.urlWithKey)
    const post = (path: string, data: object): Promise<{ link: string }> =>
      operator.evaluate(
        async ([address, bearer, body]) => {
          const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
          const response = await fetch(address!, { method: 'POST', headers, body: body! })
          return (await response.json()) as { link: string }
        },
        [`/api${path}`, key, JSON.stringify(data)],
      )
    await post('/accounts', { name: 'rita', roles: ['reader'] })
    const { link } = await post('/resets', { account: 'rita' })
    await operator.context().close()

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
    await page.getByRole('link', { name: 'rita' }).click()
    await page.getByRole('button', { name: 'Log out', exact: true }).click()
    await page.getByText('This is for people whom the station knows').waitFor()
    assert.deepEqual(await page.context().cookies(), [])
    await page.context().close()
  })
})
